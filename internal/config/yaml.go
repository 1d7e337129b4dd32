package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxFileBytes limits a config file: far larger than any real one, but small
// enough for the YAML parser.
const maxFileBytes = 1 << 20

// reader walks one YAML file and collects its faults.
type reader struct {
	file   string
	faults []Fault
}

// faultAt adds a fault at a position.
func (r *reader) faultAt(p position, format string, args ...any) {
	r.faults = append(r.faults, Fault{File: r.file, Line: p.line, Column: p.column, Message: fmt.Sprintf(format, args...)})
}

// err returns the collected faults.
func (r *reader) err() error { return Faults(r.faults...) }

type position struct{ line, column int }

// parse returns the one document of the file, nil if it is empty or does not
// parse; then there is a fault.
func (r *reader) parse(data []byte) ast.Node {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(data) > maxFileBytes {
		r.faultAt(position{}, "the file is larger than %d bytes", maxFileBytes)
		return nil
	}
	if !utf8.Valid(data) {
		r.faultAt(invalidUTF8(data), "the file is not valid UTF-8; save it as UTF-8")
		return nil
	}
	file, err := parseYAML(data)
	if err != nil {
		var syntax *yaml.SyntaxError
		if errors.As(err, &syntax) && syntax.Token != nil {
			r.faultAt(tokenPosition(syntax.Token), "not valid YAML: %s", syntax.Message)
		} else {
			r.faultAt(position{}, "not valid YAML: %s", firstLine(err.Error()))
		}
		return nil
	}
	var body ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil || doc.Body.Type() == ast.DirectiveType:
		case body != nil:
			r.faultAt(nodePosition(doc.Body), "a second YAML document; put everything in one")
		default:
			body = doc.Body
		}
	}
	return body
}

// parseYAML turns a panic of the parser into an error: a user's file must not
// crash the process.
func parseYAML(data []byte) (file *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			file, err = nil, fmt.Errorf("the parser gave up: %v", p)
		}
	}()
	// Duplicates are found here too, one by one, so that all are reported.
	return parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func invalidUTF8(data []byte) position {
	p := position{1, 1}
	for len(data) > 0 {
		c, n := utf8.DecodeRune(data)
		if c == utf8.RuneError && n == 1 {
			break
		}
		p.column++
		if c == '\n' {
			p.line, p.column = p.line+1, 1
		}
		data = data[n:]
	}
	return p
}

func tokenPosition(t *token.Token) position {
	if t == nil || t.Position == nil {
		return position{}
	}
	return position{t.Position.Line, t.Position.Column}
}

// nodePosition is where a reader would look for the node: a mapping starts at its
// first key, not at the colon.
func nodePosition(n ast.Node) position {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return nodePosition(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return nodePosition(n.Key)
	}
	return tokenPosition(n.GetToken())
}

// describe names a node's type in the words of a fault.
func describe(n ast.Node) string {
	switch n.Type() {
	case ast.MappingType, ast.MappingValueType:
		return "a mapping"
	case ast.SequenceType:
		return "a list"
	case ast.IntegerType, ast.FloatType, ast.InfinityType, ast.NanType:
		return "a number"
	case ast.BoolType:
		return "true or false"
	case ast.NullType:
		return "empty"
	case ast.StringType, ast.LiteralType:
		return "text"
	}
	return "something else"
}

// plain reports a fault for the parts of YAML that make a file hard to read
// for its owner: anchors, aliases, merges and tags.
func (r *reader) plain(n ast.Node) bool {
	switch n.Type() {
	case ast.AnchorType, ast.AliasType, ast.MergeKeyType:
		r.faultAt(nodePosition(n), "anchors and aliases are not used here; write the value out")
	case ast.TagType:
		r.faultAt(nodePosition(n), "YAML tags are not used here; leave it out")
	default:
		return true
	}
	return false
}
