package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/agnes-data/da/api"
)

// eosMark is Arrow's end-of-stream mark.
var eosMark = [8]byte{0xff, 0xff, 0xff, 0xff}

// maxRecord bounds the end record; a real one has about 200 bytes, and more only
// if it lists files.
const maxRecord = 256 << 10

// The end record closes with its own checksum: sealHead, 16 hex digits, sealTail.
const (
	sealHead = `,"record_xxh3":"`
	sealTail = "\"}\n"
	sealLen  = len(sealHead) + 16 + len(sealTail)
)

func bodyHash(h *xxh3.Hasher) string {
	sum := h.Sum128().Bytes()
	return hex.EncodeToString(sum[:])
}

func recordHash(text []byte) string { return fmt.Sprintf("%016x", xxh3.Hash(text)) }

// formatEnd returns the end record as it travels.
func formatEnd(end api.End) ([]byte, error) {
	line, err := json.Marshal(end)
	for n := len(end.Caveats) / 2; err == nil && len(line) > maxRecord-sealLen && n > 0; n /= 2 {
		end.Caveats = append(slices.Clone(end.Caveats[:n]), api.NewCaveat(api.CaveatOther, "there was no room for all caveats"))
		line, err = json.Marshal(end)
	}
	if err != nil {
		return nil, err
	}
	text := bytes.TrimSuffix(line, []byte("}"))
	sum := recordHash(text)
	return append(append(append(text, sealHead...), sum...), sealTail...), nil
}

// readEnd reads the end record, which must be all that r still holds. body is
// the hash of everything before it.
func readEnd(r io.Reader, body string) (api.End, error) {
	line, err := io.ReadAll(io.LimitReader(r, maxRecord+1))
	if err != nil {
		return api.End{}, err
	}
	end, _, err := parseEnd(line)
	if err == nil && end.BodyXXH3 != body {
		err = errors.New("the rows differ from what was sent")
	}
	if err != nil {
		return api.End{}, err
	}
	return end, nil
}

// parseEnd reads an end record, and the hash of the schema that it may have.
func parseEnd(line []byte) (end api.End, schema string, err error) {
	switch {
	case len(line) == 0:
		return api.End{}, "", errors.New("the end record is missing")
	case len(line) > maxRecord:
		return api.End{}, "", errors.New("too much follows the rows")
	case len(line) < sealLen:
		return api.End{}, "", errors.New("the end record is incomplete")
	}
	text, seal := line[:len(line)-sealLen], line[len(line)-sealLen:]
	if string(seal) != sealHead+recordHash(text)+sealTail {
		return api.End{}, "", errors.New("the end record is damaged or incomplete")
	}
	// What an honest server must say is asked for by pointers; fields that a
	// later version may add are let through, the seal covers them.
	var rec struct {
		Rows      *int64  `json:"rows"`
		Bytes     *int64  `json:"bytes"`
		Truncated *bool   `json:"truncated"`
		Cap       string  `json:"cap"`
		BodyXXH3  *string `json:"body_xxh3"`
		FileBytes int64   `json:"file_bytes"`
		Schema    string  `json:"schema_xxh3"`

		Files   []api.FileRows `json:"files"`
		Caveats []api.Caveat   `json:"caveats"`
	}
	if err := json.Unmarshal(line, &rec); err != nil {
		return api.End{}, "", fmt.Errorf("the end record cannot be read: %w", err)
	}
	if rec.Rows == nil || rec.Bytes == nil || rec.Truncated == nil || rec.BodyXXH3 == nil {
		return api.End{}, "", errors.New("the end record says too little")
	}
	return api.End{Rows: *rec.Rows, Bytes: *rec.Bytes, Truncated: *rec.Truncated, Cap: rec.Cap,
		BodyXXH3: *rec.BodyXXH3, FileBytes: rec.FileBytes, Files: rec.Files, Caveats: rec.Caveats}, rec.Schema, nil
}
