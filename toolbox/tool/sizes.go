package tool

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/toolbox/fit"
)

// MaxDescription is the length at which a list cuts a description, in runes.
const MaxDescription = 200

// EnvelopeBytes is the size of the marks around an answer.
const EnvelopeBytes = 300

// BudgetOf converts a budget in tokens to bytes; 0 is the default.
func BudgetOf(tokens int) (int, error) {
	if err := (fit.Options{MaxTokens: tokens}).Check(); err != nil {
		return 0, err
	}
	if tokens == 0 {
		tokens = fit.DefaultTokens
	}
	return tokens * fit.BytesPerToken, nil
}

// most returns how many of the first n items fit into an answer. size returns the
// answer's bytes with the first k items.
func most(n, budget int, size func(k int) (int, error)) (int, error) {
	low, high := 0, n // low fits, unless nothing does
	if all, err := size(n); err != nil || all <= budget {
		return n, err
	}
	for low < high-1 {
		middle := (low + high) / 2
		bytes, err := size(middle)
		if err != nil {
			return 0, err
		}
		if bytes <= budget {
			low = middle
		} else {
			high = middle
		}
	}
	return low, nil
}

// MostOf returns the answer with as many of the first n items as fit into budget
// bytes. part makes the answer with the first k items.
func MostOf[T any](n, budget int, part func(k int) T) (T, error) {
	k, err := most(n, budget, func(k int) (int, error) { return SizeOf(part(k)) })
	return part(k), err
}

// KeepFitting keeps as many of the first items as the budget in tokens allows,
// together with the rest of the answer. put sets them in the answer.
func KeepFitting[T any](items []T, maxTokens int, answer any, put func([]T)) error {
	budget, err := BudgetOf(maxTokens)
	if err != nil {
		return err
	}
	k, err := most(len(items), budget-EnvelopeBytes, func(k int) (int, error) {
		put(items[:k])
		return SizeOf(answer)
	})
	put(items[:k])
	return err
}

// SizeOf returns the JSON size of a value in bytes.
func SizeOf(v any) (int, error) {
	doc, err := Marshal(v)
	return len(doc), err
}

// longestText is how many characters of a text are shown if the whole text would
// leave room for only few rows.
const longestText = 200

// Shorten cuts a long text or nested value, in the form that package fit uses for
// cut cells.
func Shorten(cell json.RawMessage) (json.RawMessage, bool) {
	if len(cell) <= longestText {
		return cell, false
	}
	text := string(cell)
	if cell[0] == '"' {
		if json.Unmarshal(cell, &text) != nil {
			return cell, false
		}
	} else if cell[0] != '{' && cell[0] != '[' {
		return cell, false // a shortened number would be wrong
	}
	n := utf8.RuneCountInString(text)
	if n <= longestText {
		return cell, false
	}
	short, err := Marshal(struct {
		Start string `json:"start"`
		Chars int    `json:"chars"`
	}{string([]rune(text)[:longestText]), n})
	if err != nil {
		return cell, false
	}
	return short, true
}

// AnyIn reports whether text contains one of the words, ignoring case. It is true
// if there are no words.
func AnyIn(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(strings.ToLower(text), strings.ToLower(w)) {
			return true
		}
	}
	return len(words) == 0
}

// Marshal writes JSON without HTML escapes.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
