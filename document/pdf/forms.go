package pdf

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"

	"github.com/agnes-data/da/api"
)

// Field is one field of a form. A group of radio buttons is one field with options.
type Field struct {
	Name string `json:"name"`
	Type string `json:"type"` // text, checkbox, radio, combo, list, button, signature, other
	Page int    `json:"page"` // the page where it first appears
	// Value is a text, true or false for a checkbox, or null if the field is
	// empty.
	Value    any      `json:"value"`
	Options  []string `json:"options,omitempty"`
	ReadOnly bool     `json:"read_only,omitempty"`
	Required bool     `json:"required,omitempty"`
}

// FormFields lists the fields of all pages; none if the file has no form, although
// pages may have been copied from one that has.
func (d *Document) FormFields() ([]Field, error) {
	out := []Field{}
	if form, err := d.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: d.doc}); err == nil && form.FormType == enums.FPDF_FORMTYPE_NONE {
		return out, nil
	}
	for n := 1; n <= d.pages; n++ {
		form, err := d.GetForm(&requests.GetForm{Page: d.page(n)})
		if err != nil {
			return nil, d.fault(fmt.Sprintf("the form on page %d cannot be read", n), err)
		}
		for _, f := range form.Fields {
			field := Field{Name: f.Name, Type: typeOf(f.Type), Page: n, Options: f.Options, ReadOnly: f.Flags.ReadOnly, Required: f.Flags.Required}
			switch {
			case f.Type == enums.FPDF_FORMFIELD_TYPE_CHECKBOX:
				field.Value = f.IsChecked != nil && *f.IsChecked
				field.Options = nil
			case len(f.Values) > 0:
				field.Value = strings.Join(f.Values, "\n")
			case f.Value != nil && *f.Value != "":
				field.Value = *f.Value
			}
			if i := slices.IndexFunc(out, func(o Field) bool { return o.Name == f.Name && f.Name != "" }); i < 0 {
				out = append(out, field)
			} else if out[i].Value == nil || out[i].Value == false {
				out[i].Value = field.Value
			}
		}
	}
	return out, nil
}

func typeOf(t enums.FPDF_FORMFIELD_TYPE) string {
	switch t {
	case enums.FPDF_FORMFIELD_TYPE_TEXTFIELD:
		return "text"
	case enums.FPDF_FORMFIELD_TYPE_CHECKBOX:
		return "checkbox"
	case enums.FPDF_FORMFIELD_TYPE_RADIOBUTTON:
		return "radio"
	case enums.FPDF_FORMFIELD_TYPE_COMBOBOX:
		return "combo"
	case enums.FPDF_FORMFIELD_TYPE_LISTBOX:
		return "list"
	case enums.FPDF_FORMFIELD_TYPE_PUSHBUTTON:
		return "button"
	case enums.FPDF_FORMFIELD_TYPE_SIGNATURE:
		return "signature"
	}
	return "other"
}

// fillForm sets the values of fields as a person would: by clicking and typing.
func (d *Document) fillForm(values map[string]any, report *Report) error {
	if len(values) == 0 {
		return invalid("Give values by the names of the fields.", "fill_form needs fields")
	}
	fields, err := d.FormFields()
	if err != nil {
		return err
	}
	if len(fields) == 0 {
		return invalid("Place texts on it instead.", "the file has no fields to fill in")
	}
	for name, value := range values {
		if err := checkValue(fields, name, value); err != nil {
			return err
		}
	}
	form, err := d.FPDFDOC_InitFormFillEnvironment(&requests.FPDFDOC_InitFormFillEnvironment{Document: d.doc, FormFillInfo: silent()})
	if err != nil {
		return d.fault("the form cannot be filled in", err)
	}
	defer func() {
		_, _ = d.FPDFDOC_ExitFormFillEnvironment(&requests.FPDFDOC_ExitFormFillEnvironment{FormHandle: form.FormHandle})
	}()
	for n := 1; n <= d.pages; n++ {
		if err := d.fillPage(form.FormHandle, n, values); err != nil {
			return err
		}
	}
	return d.checkFilled(values, report)
}

// checkValue refuses a value that a field cannot have.
func checkValue(fields []Field, name string, value any) error {
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		var names []string
		for _, f := range fields {
			names = append(names, fmt.Sprintf("%q", f.Name))
		}
		return invalid("The fields are "+strings.Join(names[:min(len(names), 40)], ", ")+".", "there is no field %q", name)
	}
	f := fields[i]
	if f.ReadOnly {
		return invalid("", "the field %q is for reading only", name)
	}
	_, isBool := value.(bool)
	text, isText := value.(string)
	switch f.Type {
	case "checkbox":
		if !isBool {
			return invalid("", "the field %q is a box: its value is true or false", name)
		}
	case "text":
		if !isText {
			return invalid("", "the value of the field %q is a text", name)
		}
	case "radio", "combo", "list":
		if !isText || len(f.Options) > 0 && f.Type != "combo" && !slices.Contains(f.Options, text) {
			return invalid("The options are "+strings.Join(f.Options, ", ")+".", "%v is not an option of the field %q", value, name)
		}
	default:
		return invalid("", "a field of the kind %s, such as %q, cannot be filled in", f.Type, name)
	}
	return nil
}

// silent is a viewer that shows nothing.
func silent() structs.FPDF_FORMFILLINFO {
	return structs.FPDF_FORMFILLINFO{
		FFI_Invalidate:         func(references.FPDF_PAGE, float64, float64, float64, float64) {},
		FFI_OutputSelectedRect: func(references.FPDF_PAGE, float64, float64, float64, float64) {},
		FFI_SetCursor:          func(enums.FXCT) {},
		FFI_SetTimer:           func(int, func(int)) int { return 0 },
		FFI_KillTimer:          func(int) {},
		FFI_GetLocalTime:       func() structs.FPDF_SYSTEMTIME { return structs.FPDF_SYSTEMTIME{} },
		FFI_GetPage:            func(references.FPDF_DOCUMENT, int) *references.FPDF_PAGE { return nil },
		FFI_GetRotation:        func(references.FPDF_PAGE) enums.FPDF_PAGE_ROTATION { return enums.FPDF_PAGE_ROTATION_NONE },
		FFI_ExecuteNamedAction: func(string) {},
		FFI_OnChange:           func() {},
		FFI_GetCurrentPage:     func(references.FPDF_DOCUMENT) *references.FPDF_PAGE { return nil },
		FFI_SetTextFieldFocus:  func(string, bool) {},
		FFI_DoURIAction:        func(string) {},
		FFI_DoGoToAction:       func(int, enums.FPDF_ZOOM_MODE, []float32) {},
		Release:                func() {},
	}
}

// widget is the appearance of a field at one place.
type widget struct {
	name   string
	kind   enums.FPDF_FORMFIELD_TYPE
	x, y   float64 // its center
	export string  // the value of a button
	on     bool
	labels []string
}

func (d *Document) fillPage(form references.FPDF_FORMHANDLE, n int, values map[string]any) error {
	page, done, err := d.load(n)
	if err != nil {
		return err
	}
	defer done()
	on := requests.Page{ByReference: &page}
	if _, err := d.FORM_OnAfterLoadPage(&requests.FORM_OnAfterLoadPage{Page: on, FormHandle: form}); err != nil {
		return d.fault("the form cannot be filled in", err)
	}
	widgets, err := d.widgets(form, on)
	if err != nil {
		return err
	}
	for _, w := range widgets {
		value, ok := values[w.name]
		if !ok {
			continue
		}
		if err := d.fill(form, on, w, value); err != nil {
			return d.fault(fmt.Sprintf("the field %q cannot be filled in", w.name), err)
		}
	}
	_, _ = d.FORM_OnBeforeClosePage(&requests.FORM_OnBeforeClosePage{Page: on, FormHandle: form}) // the typed text is already stored
	return nil
}

// widgets are those of a page.
func (d *Document) widgets(form references.FPDF_FORMHANDLE, on requests.Page) ([]widget, error) {
	count, err := d.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: on})
	if err != nil {
		return nil, d.fault("the form cannot be read", err)
	}
	var out []widget
	for i := range count.Count {
		got, err := d.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: on, Index: i})
		if err != nil {
			continue
		}
		if w, ok := d.widget(form, got.Annotation); ok {
			out = append(out, w)
		}
		_, _ = d.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: got.Annotation})
	}
	return out, nil
}

func (d *Document) widget(form references.FPDF_FORMHANDLE, a references.FPDF_ANNOTATION) (w widget, ok bool) {
	name, err := d.FPDFAnnot_GetFormFieldName(&requests.FPDFAnnot_GetFormFieldName{FormHandle: form, Annotation: a})
	if err != nil {
		return w, false // a remark, a link
	}
	kind, err := d.FPDFAnnot_GetFormFieldType(&requests.FPDFAnnot_GetFormFieldType{FormHandle: form, Annotation: a})
	if err != nil {
		return w, false
	}
	rect, err := d.FPDFAnnot_GetRect(&requests.FPDFAnnot_GetRect{Annotation: a})
	if err != nil {
		return w, false
	}
	w = widget{name: name.FormFieldName, kind: kind.FormFieldType, x: float64(rect.Rect.Left+rect.Rect.Right) / 2,
		y: float64(rect.Rect.Top+rect.Rect.Bottom) / 2}
	if v, err := d.FPDFAnnot_GetFormFieldExportValue(&requests.FPDFAnnot_GetFormFieldExportValue{FormHandle: form,
		Annotation: a}); err == nil {
		w.export = v.Value
	}
	if v, err := d.FPDFAnnot_IsChecked(&requests.FPDFAnnot_IsChecked{FormHandle: form, Annotation: a}); err == nil {
		w.on = v.IsChecked
	}
	if n, err := d.FPDFAnnot_GetOptionCount(&requests.FPDFAnnot_GetOptionCount{FormHandle: form, Annotation: a}); err == nil {
		for i := range n.OptionCount {
			if l, err := d.FPDFAnnot_GetOptionLabel(&requests.FPDFAnnot_GetOptionLabel{FormHandle: form, Annotation: a, Index: i}); err == nil {
				w.labels = append(w.labels, l.OptionLabel)
			}
		}
	}
	return w, true
}

func (d *Document) fill(form references.FPDF_FORMHANDLE, on requests.Page, w widget, value any) error {
	text, _ := value.(string)
	switch w.kind {
	case enums.FPDF_FORMFIELD_TYPE_CHECKBOX:
		if value == w.on {
			return nil
		}
		return d.click(form, on, w)
	case enums.FPDF_FORMFIELD_TYPE_RADIOBUTTON:
		if w.on || w.export != text {
			return nil
		}
		return d.click(form, on, w)
	}
	if err := d.click(form, on, w); err != nil {
		return err
	}
	defer func() { _, _ = d.FORM_ForceToKillFocus(&requests.FORM_ForceToKillFocus{FormHandle: form}) }()
	if i := slices.Index(w.labels, text); i >= 0 {
		_, err := d.FORM_SetIndexSelected(&requests.FORM_SetIndexSelected{FormHandle: form, Page: on, Index: i, Selected: true})
		return err
	}
	if _, err := d.FORM_SelectAllText(&requests.FORM_SelectAllText{FormHandle: form, Page: on}); err != nil {
		return err
	}
	_, err := d.FORM_ReplaceSelection(&requests.FORM_ReplaceSelection{FormHandle: form, Page: on, Text: text})
	return err
}

// click moves the mouse to a widget first: without that the click is not taken.
func (d *Document) click(form references.FPDF_FORMHANDLE, on requests.Page, w widget) error {
	if _, err := d.FORM_OnMouseMove(&requests.FORM_OnMouseMove{FormHandle: form, Page: on, PageX: w.x, PageY: w.y}); err != nil {
		return err
	}
	if _, err := d.FORM_OnLButtonDown(&requests.FORM_OnLButtonDown{FormHandle: form, Page: on, PageX: w.x, PageY: w.y}); err != nil {
		return err
	}
	_, err := d.FORM_OnLButtonUp(&requests.FORM_OnLButtonUp{FormHandle: form, Page: on, PageX: w.x, PageY: w.y})
	return err
}

// checkFilled reads the form again and reports fields whose value differs from
// the given one: a form can limit or change what is typed.
func (d *Document) checkFilled(values map[string]any, report *Report) error {
	fields, err := d.FormFields()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if text, ok := values[name].(string); ok && unseen(text) != "" {
			report.Tell(api.NewCaveat(api.CaveatHidden, "the field %q has its value, but no font here draws its %s: they are seen in programs that have one", name, unseen(text)))
		}
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		got := any(nil)
		if i >= 0 {
			got = fields[i].Value
		}
		if got != values[name] && i >= 0 && len(fields[i].Options) > 0 {
			return invalid("The options are "+strings.Join(fields[i].Options, ", ")+".", "%v is not an option of the field %q", values[name], name)
		}
		if got == nil {
			got = ""
		}
		if got != values[name] {
			report.Tell(api.NewCaveat(api.CaveatNarrowed, "the field %q is %q now: the form does not take %q as it is", name, fmt.Sprint(got),
				fmt.Sprint(values[name])))
		}
	}
	return nil
}
