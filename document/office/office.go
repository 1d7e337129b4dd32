// Package office draws workbooks, documents and presentations with the
// LibreOffice of this machine. It runs in the sandbox of package sandbox, on a
// copy in a folder of its own: what a crafted file makes it do, ends there.
package office

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/sandbox"
)

const (
	maxMemory = 800_000_000
	maxFile   = 500_000_000
	maxCPU    = 2 * time.Minute
)

// restart is how LibreOffice ends at its first start with a new profile.
const restart = 81

// program is the file below an installation that does the work.
const program = "program/soffice.bin"

// Find returns the folder that LibreOffice is installed in: that of the soffice
// in PATH, or where distributions put it. Errors are api.CodeUnavailable, of
// kind no_office or no_sandbox.
func Find() (string, error) {
	if missing := sandbox.Available(); !missing.Enough() {
		return "", &api.Error{Code: api.CodeUnavailable, Kind: api.KindNoSandbox,
			Message: "this machine cannot isolate LibreOffice, which draws the pages (missing: " + strings.Join(missing.Missing(), ", ") + ")"}
	}
	folders := []string{"/usr/lib/libreoffice", "/usr/lib64/libreoffice"}
	if found, err := exec.LookPath("soffice"); err == nil {
		if real, err := filepath.EvalSymlinks(found); err == nil {
			folders = append([]string{filepath.Dir(filepath.Dir(real))}, folders...)
		}
	}
	for _, dir := range folders {
		if _, err := os.Stat(filepath.Join(dir, program)); err == nil {
			return dir, nil
		}
	}
	return "", &api.Error{Code: api.CodeUnavailable, Kind: api.KindNoOffice, Message: "LibreOffice, which draws the pages, is not installed",
		Hint: "Install it: 'apt install libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui', 'dnf install libreoffice', or from libreoffice.org."}
}

// Options say what becomes a page.
type Options struct {
	// WholeSheets makes one page of each sheet that is not hidden, in order, however
	// large it is. Without it, sheets are divided as they would be for a printer.
	WholeSheets bool
}

// PDF draws a file as PDF. The file lies in dir, a folder that nobody else uses:
// the program writes there. Its name has the ending of its format. The result is
// the path of the PDF, in dir.
func PDF(ctx context.Context, dir, name string, o Options) (string, error) {
	installed, err := Find()
	if err != nil {
		return "", err
	}
	filter := `pdf:%s_pdf_Export:{"ExportHiddenSlides":{"type":"boolean","value":"true"}}`
	switch strings.ToLower(filepath.Ext(name)) {
	case ".pptx", ".pptm":
		filter = fmt.Sprintf(filter, "impress")
	case ".xlsx", ".xlsm":
		filter = "pdf"
		if o.WholeSheets {
			filter = `pdf:calc_pdf_Export:{"SinglePageSheets":{"type":"boolean","value":"true"}}`
		}
	default:
		filter = "pdf"
	}
	const out = "out"
	var said bytes.Buffer
	for again := 0; ; again++ {
		said.Reset()
		cmd, err := sandbox.Command(ctx, sandbox.Spec{
			Program: filepath.Join(installed, program), Dir: dir, Office: true,
			Args: []string{"-env:UserInstallation=file://" + dir + "/profile", "--headless", "--norestore", "--nolockcheck", "--convert-to", filter,
				"--outdir", filepath.Join(dir, out), filepath.Join(dir, name)},
			Env: []string{"HOME=" + dir, "TMPDIR=" + dir, "LANG=C.UTF-8", "SAL_USE_VCLPLUGIN=svp", "PATH="},
			Read: []string{installed, "/usr/share/libreoffice", "/var/lib/libreoffice", "/var/spool/libreoffice", "/etc/libreoffice",
				"/usr/share/fonts", "/usr/local/share/fonts", "/etc/fonts", "/usr/share/fontconfig", "/var/cache/fontconfig",
				"/usr/share/hunspell", "/usr/share/hyphen", "/usr/share/mythes", "/usr/share/liblangtag", "/usr/share/icu"},
			Memory: maxMemory, FileSize: maxFile, CPU: maxCPU,
		})
		if err != nil {
			return "", err
		}
		cmd.Stdout, cmd.Stderr = &said, &said
		err = sandbox.Start(ctx, cmd)
		if err == nil {
			err = cmd.Wait()
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == restart && again == 0 {
			continue
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		path := filepath.Join(dir, out, strings.TrimSuffix(name, filepath.Ext(name))+".pdf")
		if _, there := os.Stat(path); err != nil || there != nil {
			return "", &api.Error{Code: api.CodeReadFailed, Kind: api.KindDamaged, Message: "LibreOffice cannot draw the file",
				Hint: "Open it in the program that made it and save it again.",
				Err:  errors.Join(err, there, fmt.Errorf("it says %.300q", said.String()))}
		}
		return path, nil
	}
}
