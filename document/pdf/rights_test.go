package pdf_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/pdf"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// encrypted is a file with fields that another program has encrypted with the owner's
// password "own".
func encrypted(t testing.TB, user string, restrictions ...string) []byte {
	t.Helper()
	testneed.Program(t, "qpdf")
	plain, secret := filepath.Join(t.TempDir(), "plain.pdf"), filepath.Join(t.TempDir(), "secret.pdf")
	if err := os.WriteFile(plain, form(), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--encrypt", user, "own", "256"}, restrictions...)
	if said, err := exec.CommandContext(t.Context(), "qpdf", append(args, "--", plain, secret)...).CombinedOutput(); err != nil {
		t.Fatalf("qpdf: %v\n%s", err, said)
	}
	data, err := os.ReadFile(secret)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// edits are the operations that change a file, as far as each depends on rights.
var edits = map[string]string{
	"add_page": `{"op": "add_page"}`, "delete_page": `{"op": "add_page"}, {"op": "delete_page", "page": 2}`, "add_image": `{"op": "add_image", "page": 1, "image": "x.png"}`,
	"add_text": `{"op": "add_text", "page": 1, "text": "x", "position": {"x": 9, "y": 9}}`, "fill_form": `{"op": "fill_form", "fields": {"name": "x"}}`,
}

// tryEncrypted applies operations, after which the file is still encrypted.
func tryEncrypted(t testing.TB, data []byte, password, ops string) error {
	t.Helper()
	options := compiled(t)
	options.Password = password
	var out bytes.Buffer
	_, err := pdf.Edit(t.Context(), bytes.NewReader(data), int64(len(data)), &out, operations(t, "["+ops+"]"), pdf.EditOptions{Options: options, File: file})
	if err == nil {
		staysEncrypted(t, ops, out.Bytes())
	}
	return err
}

// tenOperations does everything that can be done with a file, and returns what is
// said of each.
func tenOperations(t testing.TB, data []byte, password string) map[string]error {
	t.Helper()
	said := map[string]error{}
	options := compiled(t)
	options.Password = password
	d, err := pdf.Open(t.Context(), bytes.NewReader(data), int64(len(data)), options)
	for _, name := range []string{"info", "extract_text", "get_form_fields", "split_pages"} {
		said[name] = err
	}
	if err == nil {
		defer d.Close()
		var info *pdf.Info
		if info, said["info"] = d.Info(); info != nil && !info.Encrypted {
			t.Error("it is not said that the file is encrypted")
		}
		_, said["extract_text"] = d.ExtractText("", 0)
		_, said["get_form_fields"] = d.FormFields()
		_, said["split_pages"] = d.Split("1", &pdf.Report{}, func(string) (io.WriteCloser, error) { return &target{}, nil })
	}
	report, err := pdf.Merge(t.Context(), io.Discard, []pdf.Source{{R: bytes.NewReader(data), Size: int64(len(data)), Password: password}}, compiled(t))
	if said["merge"] = err; err == nil && !slices.ContainsFunc(api.Texts(report.Caveats), func(w string) bool { return strings.Contains(w, "not encrypted") }) {
		t.Errorf("it is not said that the new file is not encrypted: %+v", report)
	}
	var e *api.Error
	err = tryEncrypted(t, data, password, strings.Join(slices.Collect(maps.Values(edits)), ","))
	one := errors.As(err, &e) && e.Kind == api.KindRestricted // which one is it?
	for name, op := range edits {
		if said[name] = err; one {
			said[name] = tryEncrypted(t, data, password, op)
		}
	}
	return said
}

func staysEncrypted(t testing.TB, name string, data []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.pdf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.CommandContext(t.Context(), "qpdf", "--password=own", "--check", path).CombinedOutput(); err != nil || !strings.Contains(string(said), "AESv3") {
		t.Errorf("%s: the file is not encrypted as it was: %v\n%s", name, err, said)
	}
}

// TestEncryptedFiles does everything with files that are encrypted, with and without
// a password.
func TestEncryptedFiles(t *testing.T) {
	secret := encrypted(t, "open")
	restricted := encrypted(t, "", "--modify=form", "--extract=n")
	changes := []string{"add_page", "delete_page", "add_text", "add_image", "merge", "split_pages"}
	for _, c := range []struct {
		name, password, kind string
		data                 []byte
		refused              []string // nil: all
	}{
		{"without the password", "", api.KindEncrypted, secret, nil},
		{"with another password", "wrong", api.KindEncrypted, secret, nil},
		{"with the user's password", "open", "", secret, []string{}},
		{"with the owner's password", "own", "", secret, []string{}},
		{"restricted, without the owner's password", "", api.KindRestricted, restricted, []string{"add_text", "add_image", "merge", "split_pages"}},
		{"restricted, with the owner's password", "own", "", restricted, []string{}},
		{"restricted to reading", "", api.KindRestricted, encrypted(t, "", "--modify=none"), append(changes, "fill_form")},
	} {
		for name, err := range tenOperations(t, c.data, c.password) {
			refused := c.refused == nil
			for _, r := range c.refused {
				refused = refused || r == name
			}
			var e *api.Error
			switch {
			case !refused && err != nil:
				t.Errorf("%s: %s: %v", c.name, name, err)
			case refused && (!errors.As(err, &e) || e.Kind != c.kind || e.Hint == ""):
				t.Errorf("%s: %s: %v, not an error of the kind %s with a hint", c.name, name, err, c.kind)
			}
		}
	}
}
