package ask

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/agent/receipt"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/internal/disk/kernelfs"
)

// isFile reports whether a receipt is named by its file.
func isFile(ref string) bool { return strings.HasSuffix(ref, ".json") }

// openReceipt reads a receipt by id or from a file. files is the folder of the
// files that its statements can read.
func openReceipt(a *app.App, ref string) (r receipt.Receipt, files string, err error) {
	if isFile(ref) {
		path := a.Absolute(ref)
		text, err := kernelfs.ReadFile(path, maxReceiptBytes)
		if err == nil {
			r, err = receipt.Parse(text)
		}
		if err != nil {
			return r, "", &api.Error{Code: api.CodeReadFailed, Message: fmt.Sprintf("'%s' is not a receipt", ref), Err: err,
				Hint: "A receipt in a file is the receipt.json of da receipt replay."}
		}
		files = filepath.Join(filepath.Dir(path), "files")
		if _, err := os.Stat(files); err != nil {
			files = filepath.Dir(path) // its statements read no files
		}
		return r, files, nil
	}
	id, turn, err := receipt.ParseID(ref)
	if err != nil {
		return r, "", err
	}
	store, err := Conversations(a)
	if err != nil {
		return r, "", err
	}
	records, err := recordsOf(a, id)
	if err != nil {
		return r, "", err
	}
	r, err = receipt.Of(records, turn)
	return r, store.Folder(id), err
}

// verified is what da receipt verify --json prints.
type verified struct {
	ID      string           `json:"id"`
	Same    bool             `json:"same" jsonschema:"every result that was checked is the same"`
	Checked int              `json:"checked" jsonschema:"how many of the results were run again"`
	Results []verifiedResult `json:"results"`
}

type verifiedResult struct {
	Call   string `json:"call"`
	Status string `json:"status" jsonschema:"same, drifted, failed, or not_run for what would read the source again"`
	Why    string `json:"why,omitempty"`
}
