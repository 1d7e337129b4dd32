package pdf

import (
	"io"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// Attach writes the document with a file within it, in place of one of that name.
func (d *Document) Attach(name string, data []byte, w io.Writer) error {
	if _, at, err := d.attached(name); err != nil {
		return err
	} else if at >= 0 {
		if _, err := d.FPDFDoc_DeleteAttachment(&requests.FPDFDoc_DeleteAttachment{Document: d.doc, Index: at}); err != nil {
			return d.fault("a file within it cannot be replaced", err)
		}
	}
	added, err := d.FPDFDoc_AddAttachment(&requests.FPDFDoc_AddAttachment{Document: d.doc, Name: name})
	if err == nil {
		_, err = d.FPDFAttachment_SetFile(&requests.FPDFAttachment_SetFile{Attachment: added.Attachment, Contents: data})
	}
	if err != nil {
		return d.fault("no file can be put into it", err)
	}
	return d.save(w)
}

// Attached is the file of that name within the document; nil if there is none.
func (d *Document) Attached(name string) ([]byte, error) {
	file, at, err := d.attached(name)
	if err != nil || at < 0 {
		return nil, err
	}
	got, err := d.FPDFAttachment_GetFile(&requests.FPDFAttachment_GetFile{Attachment: file})
	if err != nil {
		return nil, d.fault("a file within it cannot be read", err)
	}
	return got.Contents, nil
}

// attached finds a file within the document, -1 without one.
func (d *Document) attached(name string) (references.FPDF_ATTACHMENT, int, error) {
	count, err := d.FPDFDoc_GetAttachmentCount(&requests.FPDFDoc_GetAttachmentCount{Document: d.doc})
	if err != nil {
		return "", -1, d.fault("the files within it cannot be counted", err)
	}
	for i := range count.AttachmentCount {
		file, err := d.FPDFDoc_GetAttachment(&requests.FPDFDoc_GetAttachment{Document: d.doc, Index: i})
		if err != nil {
			continue // a damaged one is not ours
		}
		if got, err := d.FPDFAttachment_GetName(&requests.FPDFAttachment_GetName{Attachment: file.Attachment}); err == nil && got.Name == name {
			return file.Attachment, i, nil
		}
	}
	return "", -1, nil
}
