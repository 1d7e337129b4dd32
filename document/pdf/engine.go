package pdf

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/agnes-data/da/api"
)

// Options say how files are opened.
type Options struct {
	// Password opens an encrypted file.
	Password string
	// CacheDir is a folder, accessible only to the user, in which the compiled
	// library is cached: compiling takes seconds, loading a tenth of a second.
	// Without it, the library is compiled in each process.
	CacheDir string
}

// UserCache is the user's folder for the compiled library; "" if there is none.
func UserCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "da", "pdf")
}

// Source is a file to read.
type Source struct {
	R        io.ReaderAt
	Size     int64
	Password string
}

const (
	// memoryPages, of 64 KB each, limit the library's memory to 512 MB. The library
	// itself takes up to 200 MB besides.
	memoryPages = 8 << 10
	// instanceWait is the maximum time to wait for a new instance.
	instanceWait = 5 * time.Minute
)

// engine is one instance of the library. It is safe for one goroutine.
type engine struct {
	pdfium.Pdfium
	ctx    context.Context
	pool   pdfium.Pool
	memory *memory
}

// start makes an instance, which ends with ctx. The caller closes it.
func start(ctx context.Context, cacheDir string) (*engine, error) {
	m := &memory{}
	pool, err := load(withMemory(ctx, m), cacheDir)
	if err != nil {
		m.release()
		return nil, fault(ctx, "the library for PDF does not start", err)
	}
	instance, err := pool.GetInstance(instanceWait)
	if err != nil {
		_ = pool.Close() // the reason is err
		m.release()
		return nil, fault(ctx, "the library for PDF does not start", err)
	}
	return &engine{Pdfium: instance, ctx: ctx, pool: pool, memory: m}, nil
}

func (e *engine) close() {
	_ = e.Close()      // the instance's memory is freed in any case
	_ = e.pool.Close() // as does this
	e.memory.release()
}

// open opens a file in the instance.
func (e *engine) open(s Source) (references.FPDF_DOCUMENT, error) {
	if s.Size == 0 {
		return "", e.notPDF(s)
	}
	request := &requests.OpenDocument{FileReader: io.NewSectionReader(s.R, 0, s.Size), FileReaderSize: s.Size}
	if s.Password != "" {
		request.Password = &s.Password
	}
	doc, err := e.OpenDocument(request)
	switch {
	case err == nil:
		return doc.Document, nil
	case errors.Is(err, pdferrors.ErrPassword) && s.Password == "":
		return "", &api.Error{Code: api.CodeReadFailed, Kind: api.KindEncrypted, Message: "the file is encrypted with a password",
			Hint: "Give the password, or save the file without one."}
	case errors.Is(err, pdferrors.ErrPassword):
		return "", &api.Error{Code: api.CodeReadFailed, Kind: api.KindEncrypted, Message: "the password does not open the file",
			Hint: "Give the user's password or the owner's; upper and lower case differ."}
	case errors.Is(err, pdferrors.ErrFormat), errors.Is(err, pdferrors.ErrFile):
		return "", e.notPDF(s)
	case errors.Is(err, pdferrors.ErrSecurity):
		return "", &api.Error{Code: api.CodeReadFailed, Kind: api.KindEncrypted, Message: "the file is encrypted in a way that cannot be read"}
	}
	return "", e.fault("the file cannot be read", err)
}

// notPDF distinguishes a damaged PDF file from a file of another type.
func (e *engine) notPDF(s Source) error {
	head := make([]byte, min(s.Size, 1024))
	_, _ = s.R.ReadAt(head, 0) // a file that cannot be read is not a PDF
	for i := range len(head) - 4 {
		if string(head[i:i+5]) == "%PDF-" {
			return &api.Error{Code: api.CodeReadFailed, Kind: api.KindDamaged,
				Message: "the file is damaged: it begins as a PDF, but its pages cannot be found",
				Hint:    "Open it in the program that made it and save it again."}
		}
	}
	return &api.Error{Code: api.CodeReadFailed, Kind: api.KindWrongFormat, Message: "this is not a PDF file"}
}

func (e *engine) fault(what string, err error) error { return fault(e.ctx, what, err) }

// fault returns an error of the library, or the context's error if the context
// has ended.
func fault(ctx context.Context, what string, err error) error {
	var known *api.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return known
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &api.Error{Code: api.CodeTimeout, Message: "the file took too long", Hint: "Name fewer pages, or give it more time.", Err: err}
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &api.Error{Code: api.CodeReadFailed, Kind: api.KindDamaged, Message: what,
		Hint: "Open the file in the program that made it and save it again.", Err: err}
}
