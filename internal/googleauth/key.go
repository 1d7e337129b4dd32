package googleauth

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/kernelfs"
)

const notAKey = "is not a service account's key: the JSON file that 'gcloud iam service-accounts keys create' writes"

// KeyFault returns what is wrong with the key file of a service account, as the
// end of a sentence that starts with its name, or "". It quotes nothing from the
// file except its type.
func KeyFault(file string) string {
	text, err := kernelfs.ReadFile(file, 1<<20)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is not there"
	case errors.Is(err, fs.ErrPermission):
		return "cannot be read: permission denied"
	case err != nil:
		return "cannot be read"
	}
	var key struct {
		Type    string `json:"type"`
		Account string `json:"client_email"`
		Private string `json:"private_key"`
	}
	if json.Unmarshal(text, &key) != nil {
		return notAKey
	}
	switch {
	case key.Type == "":
		return notAKey
	case key.Type != "service_account":
		return fmt.Sprintf("%s: its type is %q", notAKey, api.Clip(key.Type, 40))
	case key.Account == "":
		return "names no service account: it has no client_email"
	case !private(key.Private):
		return "holds no private key: its private_key is not one in PEM"
	}
	return ""
}

// private reports whether a text is a private key in one of Google's forms.
func private(text string) bool {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return false
	}
	_, err8 := x509.ParsePKCS8PrivateKey(block.Bytes)
	_, err1 := x509.ParsePKCS1PrivateKey(block.Bytes)
	return err8 == nil || err1 == nil
}
