// Package ocr recognizes the text of pictures with the tesseract of this machine. It
// runs in the sandbox of package sandbox: what a crafted picture makes it do, ends there.
package ocr

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/internal/guard/sandbox"
)

const (
	maxMemory = 600_000_000
	maxText   = 1 << 20
	maxCPU    = 30 * time.Second
	// mostLanguages are tried at once; each takes as long as the others.
	mostLanguages = 5
)

// Reader is an installed tesseract.
type Reader struct {
	program, languages string
	data               string // the folder of its languages
}

// Find returns the tesseract in PATH. It returns nil if none is installed with a language,
// or if this machine cannot isolate it.
func Find() *Reader {
	found, err := exec.LookPath("tesseract")
	if err != nil || !sandbox.Available().Enough() {
		return nil
	}
	program, err := filepath.EvalSymlinks(found)
	if err != nil {
		return nil
	}
	for _, pattern := range []string{"/usr/share/tesseract-ocr/*/tessdata", "/usr/share/tessdata", "/usr/share/tesseract/tessdata"} {
		files, _ := filepath.Glob(pattern + "/*.traineddata") // the pattern is right
		var languages []string
		for _, f := range files {
			// osd tells how a page lies, and is no language.
			if name := strings.TrimSuffix(filepath.Base(f), ".traineddata"); name != "osd" {
				languages = append(languages, name)
			}
		}
		if len(languages) > mostLanguages && slices.Contains(languages, "eng") {
			languages = []string{"eng"}
		}
		if len(languages) > 0 {
			languages = languages[:min(len(languages), mostLanguages)]
			return &Reader{program: program, data: filepath.Dir(files[0]), languages: strings.Join(languages, "+")}
		}
	}
	return nil
}

// Text recognizes the text of a picture of a page, a PNG of that many dots per inch.
func (r *Reader) Text(ctx context.Context, png []byte, dpi int) (string, error) {
	dir, err := os.MkdirTemp("", "da-ocr")
	if err != nil {
		return "", fmt.Errorf("make a folder for tesseract: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "page.png"), png, 0o600); err != nil {
		return "", fmt.Errorf("write a picture for tesseract: %w", err)
	}
	cmd, err := sandbox.Command(ctx, sandbox.Spec{
		Program: r.program, Dir: dir, Args: []string{"page.png", "-", "-l", r.languages, "--dpi", fmt.Sprint(dpi), "--tessdata-dir", r.data},
		Env:  []string{"LANG=C.UTF-8", "OMP_THREAD_LIMIT=1", "TMPDIR=" + dir},
		Read: []string{r.program, filepath.Dir(r.data)}, Memory: maxMemory, FileSize: maxText, CPU: maxCPU,
	})
	if err != nil {
		return "", err
	}
	var text, said bytes.Buffer
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", fmt.Errorf("read what tesseract says: %w", err)
	}
	cmd.Stderr = &said
	if err := sandbox.Start(ctx, cmd); err != nil {
		return "", err
	}
	_, err = io.Copy(&text, io.LimitReader(out, maxText))
	out.Close() // a program that writes more ends by that
	if ended := cmd.Wait(); ended != nil {
		return "", fmt.Errorf("tesseract: %w: %.300q", ended, said.String())
	}
	return strings.ToValidUTF8(strings.TrimRight(text.String(), " \n\f"), "\ufffd"), err
}
