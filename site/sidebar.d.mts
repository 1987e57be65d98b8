export interface SidebarItem {
  text: string;
  link?: string;
  items?: SidebarItem[];
}
export function sidebar(root: string): SidebarItem[];
