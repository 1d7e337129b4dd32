package pdf

import (
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/agnes-data/da/api"
)

// copyPages is what merging and splitting do with the pages of a file.
const copyPages = "copy_pages"

// allowed refuses an operation that the owner of an encrypted file has not allowed to
// those who do not have the owner's password.
func (d *Document) allowed(op string) error {
	if !d.Encrypted() {
		return nil
	}
	p, err := d.FPDF_GetDocPermissions(&requests.FPDF_GetDocPermissions{Document: d.doc})
	if err != nil {
		return d.fault("the rights of the file cannot be read", err)
	}
	ok := p.ModifyContents
	switch op {
	case AddPage, DeletePage:
		ok = ok || p.AssembleDocument
	case FillForm:
		ok = ok || p.FillInInteractiveFormFields || p.FillInExistingInteractiveFormFields
	case copyPages: // the new file has no restrictions
		ok = p.CopyOrExtractText && (ok || p.AssembleDocument)
	}
	if ok {
		return nil
	}
	return &api.Error{Code: api.CodeValidation, Kind: api.KindRestricted,
		Message: "the file is encrypted, and its owner has not allowed this change",
		Hint:    "Give the owner's password, or ask for a file without restrictions. It can be read as it is."}
}

// Encrypted reports whether a password protects the file, or restricts what may be
// done with it.
func (d *Document) Encrypted() bool {
	r, err := d.FPDF_GetSecurityHandlerRevision(&requests.FPDF_GetSecurityHandlerRevision{Document: d.doc})
	return err == nil && r.SecurityHandlerRevision > 0
}

// Unprotected says that pages of an encrypted file are in one that is not.
const Unprotected = "the new file is not encrypted, as the one that its pages come from is"
