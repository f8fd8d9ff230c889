/** A concrete role of WAI-ARIA 1.2/1.3, its graphics and publishing modules, or `iframe` and `clickable` of ours. */
export type Role = string

const words = (text: string): Set<string> => new Set(text.trim().split(/\s+/))

/** Roles that an author may give. Abstract ones are not among them. */
export const ARIA_ROLES = words(`
  alert alertdialog application article banner blockquote button caption cell checkbox code columnheader
  combobox comment complementary contentinfo definition deletion dialog directory document emphasis feed figure
  form generic grid gridcell group heading image img insertion link list listbox listitem log main mark marquee
  math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph
  presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox sectionfooter sectionheader separator
  slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term
  textbox time timer toolbar tooltip tree treegrid treeitem`)

export const SYNONYMS: Record<string, Role> = { presentation: 'none', img: 'image', directory: 'list' }

/** An element that carries one of these keeps its role, whatever role="none" says. */
export const GLOBAL_ATTRIBUTES = `aria-atomic aria-busy aria-controls aria-current aria-describedby
  aria-description aria-details aria-dropeffect aria-flowto aria-grabbed aria-keyshortcuts aria-live aria-owns
  aria-relevant aria-roledescription`.split(/\s+/)

/** Roles whose name may come from their content. */
export const NAMED_BY_CONTENT = words(`
  button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio
  row rowheader switch tab tooltip treeitem doc-backlink doc-biblioref doc-glossref doc-noteref clickable`)

/** Roles that have no name, not even by their author. */
export const NEVER_NAMED = words(`
  caption code deletion emphasis generic insertion mark none paragraph strong subscript suggestion superscript`)

/** Controls that stand for their value when they lie inside of another control's label. */
export const VALUE_ROLES = words(
  'textbox searchbox combobox listbox slider spinbutton scrollbar progressbar meter',
)

/** Roles that a person acts on: what has one of them gets a ref. */
export const ACTED_ON = words(`
  button checkbox combobox iframe link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar
  searchbox slider spinbutton switch tab textbox treeitem clickable`)

/** Roles whose content is told by their name: nothing inside of them is listed but what can be acted on. */
export const TOLD_BY_NAME = words(`
  button checkbox heading image link math menuitem menuitemcheckbox menuitemradio option progressbar meter radio
  scrollbar slider switch tab tooltip treeitem clickable`)

/** Wrappers that mean nothing by themselves: their content takes their place. */
export const TRANSPARENT = words(`
  generic none paragraph rowgroup emphasis strong code subscript superscript mark time insertion deletion
  suggestion document sectionheader sectionfooter`)

/** Wrappers that say something only when they have a name. */
export const TRANSPARENT_UNNAMED = words('group figure form region section application')
