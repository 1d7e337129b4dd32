package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/shellwords"
)

// maxTokenBytes is far longer than any token; it keeps a wrong file out of a
// header.
const maxTokenBytes = 4096

// Token returns the bearer token: DA_TOKEN, otherwise the token file; "" if
// neither exists. It rejects a token file that others can read, because the token
// may have leaked.
func (p Places) Token() (string, error) {
	if t := strings.TrimSpace(p.Getenv(EnvToken)); t != "" {
		return checkToken(t, EnvToken)
	}
	if p.Home == "" {
		return "", nil
	}
	file, err := p.TokenFile()
	if err != nil {
		return "", err
	}
	if err := checkModes(file, maxTokenBytes); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		return "", err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", tokenError(file, "cannot be read: "+reason(err), "", err)
	}
	return checkToken(strings.TrimSpace(string(data)), file)
}

// checkModes requires that the file is 0600 or less, in a folder that is 0700 or
// less, and no larger than maxBytes.
func checkModes(file string, maxBytes int64) error {
	for _, place := range []struct {
		path string
		want fs.FileMode
	}{{file, 0o600}, {filepath.Dir(file), 0o700}} { // where no token is, nobody can reach it
		info, err := os.Stat(place.path)
		if errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err != nil {
			return tokenError(place.path, "cannot be read: "+reason(err), "", err)
		}
		if mode := info.Mode().Perm(); mode&0o077 != 0 {
			return tokenError(place.path,
				fmt.Sprintf("others can reach the token, the mode is %04o", mode),
				fmt.Sprintf("Run: chmod %04o %s", place.want, shellwords.Quote(place.path)), nil)
		}
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Size() > maxBytes {
		return tokenError(file, "is not a token file", "", err)
	}
	return nil
}

// checkToken rejects what a header cannot contain.
func checkToken(t, where string) (string, error) {
	if t == "" {
		return "", tokenError(where, "holds no token", "", nil)
	}
	for _, c := range []byte(t) {
		if c <= ' ' || c > '~' {
			return "", tokenError(where, "does not hold a token: a token is printable ASCII without spaces", "", nil)
		}
	}
	if len(t) > maxTokenBytes {
		return "", tokenError(where, "does not hold a token: it is too long", "", nil)
	}
	return t, nil
}

func tokenError(where, message, hint string, err error) error {
	return &api.Error{Code: api.CodeConfig, Message: where + ": " + message, Hint: hint, Err: err}
}

// CheckToken returns the token, or a CodeConfig error if it cannot be a token.
func CheckToken(token string) (string, error) { return checkToken(token, "the token") }
