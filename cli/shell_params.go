package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/statement/params"
)

// settable words the steps of an error about parameters for the prompt.
func settable(err error) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Details["name"] == nil {
		return err
	}
	said := *e
	said.Next = nil
	said.Hint = strings.TrimSpace(said.Hint + fmt.Sprintf(` \set %s TEXT gives it one, \set %[1]s:=JSON a number or a list.`,
		strings.TrimPrefix(fmt.Sprint(e.Details["name"]), "$")))
	return &said
}

// set sets a parameter, replacing an earlier value.
func (h *shellHost) set(given string) error {
	one := params.Values{}
	if err := one.Set(given); err != nil {
		return err
	}
	maps.Copy(h.values, one)
	return nil
}

func (h *shellHost) unset(name string) error {
	if _, ok := h.values[name]; !ok {
		return &api.Error{Code: api.CodeUsage, Message: "$" + api.Clip(name, 60) + " has no value", Hint: `\set lists those that have one.`}
	}
	delete(h.values, name)
	return nil
}

// params lists the parameters in the form that \set accepts.
func (h *shellHost) params() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h.values)) {
		if text, ok := h.values[name].(string); ok {
			fmt.Fprintf(&b, "%s=%s\n", name, printable.Line(text))
			continue
		}
		text, _ := json.Marshal(h.values[name]) // cannot fail: it was parsed from JSON
		fmt.Fprintf(&b, "%s:=%s\n", name, text)
	}
	return b.String()
}
