{{- define "vitrine.labels" -}}
app.kubernetes.io/name: vitrine
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "vitrine.secret" -}}
{{- default (printf "%s-vitrine" .Release.Name) .Values.secret.existing -}}
{{- end -}}

{{- define "vitrine.settings" -}}
{{- $listen := dict "origin" (required "origin is required, such as https://gateway.example.org" .Values.origin) -}}
{{- $sandbox := dict "host" "0.0.0.0" "origin" (required "appsOrigin is required" .Values.appsOrigin) -}}
{{- $nodes := dict "listen" "0.0.0.0:8092" "address" "${VITRINE_NODE_ADDRESS}" "secret" "${VITRINE_CLUSTER_SECRET}" -}}
{{- $drain := dict "delay" (printf "%ds" (int .Values.drain.delaySeconds)) "time" (printf "%ds" (int .Values.drain.timeSeconds)) -}}
{{- $own := dict "listen" $listen "sandbox" $sandbox "nodes" $nodes "drain" $drain "database" "${VITRINE_DATABASE}" -}}
{{- toPrettyJson (merge $own .Values.settings) -}}
{{- end -}}
