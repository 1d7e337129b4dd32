package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/atomicfile"
)

// tokenPrefix makes a token recognisable to people and to secret scanners.
const tokenPrefix = "da_"

// bootstrapFile holds the hash of the one admin token of a fresh instance.
const bootstrapFile = "bootstrap_token.json"

// Tokens knows the instance's bootstrap token by its hash; the token itself is
// shown once and stored nowhere.
type Tokens struct{ hash [sha256.Size]byte }

type bootstrapRecord struct {
	SHA256 string `json:"sha256"`
}

// OpenTokens reads the token's hash from stateDir, or makes a token on an
// empty state: then fresh is its text, to be shown once.
func OpenTokens(stateDir string) (tokens *Tokens, fresh string, err error) {
	path := filepath.Join(stateDir, bootstrapFile)
	data, err := os.ReadFile(path)
	if err == nil {
		tokens, err = parseBootstrap(data)
		return tokens, "", configError(path, err)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, "", configError(path, err)
	}
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return nil, "", configError(stateDir, err)
	}
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, "", err
	}
	fresh = tokenPrefix + base64.RawURLEncoding.EncodeToString(secret)
	tokens = &Tokens{hash: sha256.Sum256([]byte(fresh))}
	data, err = json.Marshal(bootstrapRecord{SHA256: hex.EncodeToString(tokens.hash[:])})
	if err != nil {
		return nil, "", err
	}
	if err := atomicfile.WriteFile(path, data, 0o600); err != nil {
		return nil, "", configError(path, err)
	}
	return tokens, fresh, nil
}

func parseBootstrap(data []byte) (*Tokens, error) {
	var rec bootstrapRecord
	if err := json.Unmarshal(data, &rec); err != nil {
		return nil, err
	}
	hash, err := hex.DecodeString(rec.SHA256)
	if err != nil || len(hash) != sha256.Size {
		return nil, errors.New("sha256 is not a hash")
	}
	return &Tokens{hash: [sha256.Size]byte(hash)}, nil
}

func configError(path string, err error) error {
	if err == nil {
		return nil
	}
	return &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("cannot use the server's state %s: %v", path, err),
		Hint: "Check server.state_dir and its permissions; to issue a new token, stop the server and remove " + bootstrapFile + ".", Err: err}
}

// Authenticate returns who bears token, or a CodeUnauthorized error.
func (t *Tokens) Authenticate(_ context.Context, token string) (Principal, error) {
	hash := sha256.Sum256([]byte(token))
	if token != "" && subtle.ConstantTimeCompare(hash[:], t.hash[:]) == 1 {
		return Principal{User: "admin", Admin: true}, nil
	}
	return Principal{}, &api.Error{Code: api.CodeUnauthorized, Message: "the token is missing or not valid",
		Hint: "Set DA_TOKEN to a valid token; the server's operator issues them."}
}
