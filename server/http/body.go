package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
)

// maxBody limits a request's body in bytes. The longest part, a predicate, has
// its own limit of 64 KiB.
const maxBody = 1 << 20

func badBody(kind, format string, args ...any) error {
	return &api.Error{Code: api.CodeBadRequest, Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// body decodes the request's JSON into dst, a pointer to a struct. It rejects
// unknown fields: ignoring one would return a result that the caller did not ask
// for.
func (c *call) body(dst any) error {
	mediaType, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	charset, ok := params["charset"]
	if err != nil || mediaType != "application/json" || ok && !strings.EqualFold(charset, "utf-8") {
		return badBody(api.KindContentType, "the body must be JSON, with the header Content-Type: application/json")
	}
	data, err := c.readBody()
	if err != nil {
		return err
	}
	return parseBody(data, dst)
}

// readBody reads the whole body, so that from then on the server notices when the
// client goes away.
func (c *call) readBody() ([]byte, error) {
	// Connections without deadlines, as in some tests, wait for ever.
	_ = c.w.control.SetReadDeadline(time.Now().Add(c.bodyLimit))
	data, err := io.ReadAll(http.MaxBytesReader(c.w.ResponseWriter, c.r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, badBody(api.KindTooLarge, "the body is larger than %d bytes", maxBody)
	}
	if err != nil {
		return nil, badBody(api.KindIncomplete, "the body is incomplete")
	}
	_ = c.w.control.SetReadDeadline(time.Time{})
	return data, nil
}

func parseBody(data []byte, dst any) error {
	if !utf8.Valid(data) {
		return badBody(api.KindSyntax, "the body is not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return badBody(api.KindSyntax, "the body is not a JSON object")
	}
	known := fieldNames(dst)
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return notJSON(err)
		}
		name, _ := key.(string)
		if !known[name] {
			return unknownField(name, known)
		}
		if seen[name] {
			return badBody(api.KindDuplicateField, "field '%s' is there twice", name)
		}
		seen[name] = true
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			return notJSON(err)
		}
	}
	if _, err := dec.Token(); err != nil {
		return notJSON(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return badBody(api.KindSyntax, "something follows the JSON object")
	}
	inner := json.NewDecoder(bytes.NewReader(data))
	inner.DisallowUnknownFields() // in objects inside of this one
	err := inner.Decode(dst)
	if err == nil {
		return nil
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return unknownField(strings.Trim(name, `"`), nil)
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return badBody(api.KindWrongType, "field '%s' must be %s, and is a JSON %s", wrong.Field, typeName(wrong.Type), wrong.Value)
	}
	return notJSON(err)
}

func notJSON(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return badBody(api.KindSyntax, "the body is not valid JSON at byte %d", syntax.Offset)
	}
	return badBody(api.KindSyntax, "the body is not valid JSON")
}

func unknownField(name string, known map[string]bool) error {
	e := &api.Error{
		Code: api.CodeBadRequest, Kind: api.KindUnknownField,
		Message: fmt.Sprintf("there is no field '%s'", api.Clip(name, 80)),
	}
	var names []string
	for k := range known {
		names = append(names, k)
	}
	if near := suggest.Near(name, names); len(near) > 0 {
		e.Hint = fmt.Sprintf("Did you mean '%s'?", near[0])
	} else if len(names) > 0 {
		slices.Sort(names)
		e.Hint = "The fields are '" + strings.Join(names, "', '") + "'."
	}
	return e
}

// fieldNames returns the JSON names of a struct's fields.
func fieldNames(dst any) map[string]bool {
	names := map[string]bool{}
	t := reflect.TypeOf(dst).Elem()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names[name] = true
	}
	return names
}

// typeName names the JSON type that a field must have.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "an array"
	case reflect.Bool:
		return "true or false"
	case reflect.Int64:
		return "a whole number"
	case reflect.Struct:
		return "an object"
	}
	return "a number"
}
