/**
 * Ready-made pages: a configuration turns them into an app.
 *
 * @module
 */

import { approval } from "./approval/template.js";
import { chart } from "./chart/template.js";
import { choice } from "./choice/template.js";
import { dataTable } from "./data-table/template.js";
import { detail } from "./detail/template.js";
import { diffViewer } from "./diff-viewer/template.js";
import { fileUpload } from "./file-upload/template.js";
import { form } from "./form/template.js";
import { kanban } from "./kanban/template.js";
import { progress } from "./progress/template.js";
import type { AnyTemplate } from "./template.js";
import { treeView } from "./tree-view/template.js";
import { wizard } from "./wizard/template.js";

export type { ApprovalConfig } from "./approval/template.js";
export type { ChartConfig, ChartKind, ChartSeries } from "./chart/template.js";
export type { Asking, ChoiceOption } from "./choice/options.js";
export type { ChoiceConfig } from "./choice/template.js";
export type { Column, ColumnType, DataTableConfig } from "./data-table/template.js";
export type { DetailAction, DetailConfig, DetailField, DetailFieldType } from "./detail/template.js";
export type { DiffViewerConfig } from "./diff-viewer/template.js";
export type { FileLimits } from "./file-upload/limits.js";
export type { FileUploadConfig } from "./file-upload/template.js";
export type { Field, FieldOption, FieldType, FieldValue } from "./form/field.js";
export type { FormConfig, SubmitConfig } from "./form/template.js";
export type { KanbanColumn, KanbanConfig } from "./kanban/template.js";
export type { ProgressConfig } from "./progress/template.js";
export { renderTemplate, templateCounts } from "./render.js";
export type { TreeViewConfig } from "./tree-view/template.js";
export type { WizardConfig, WizardStep } from "./wizard/template.js";
export {
  approval,
  chart,
  choice,
  dataTable,
  detail,
  diffViewer,
  fileUpload,
  form,
  kanban,
  progress,
  treeView,
  wizard,
};

/** All templates of this package, by name. */
export const TEMPLATES: Readonly<Record<string, AnyTemplate>> = Object.fromEntries(
  [
    kanban,
    wizard,
    approval,
    progress,
    detail,
    choice,
    treeView,
    form,
    fileUpload,
    diffViewer,
    dataTable,
    chart,
  ].map((template) => [template.name, template]),
);
