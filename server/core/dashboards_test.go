package core

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestDashboardsAreShownByRight: only who may read all of its tables sees one, and
// what is no dashboard is told to admins alone.
func TestDashboardsAreShownByRight(t *testing.T) {
	c, _ := testCore(t, "{}")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"open.json":      `{"name": "Open", "tables": ["numbers", "words"], "cells": []}`,
		"secret.json":    `{"name": "Secret", "tables": ["numbers", "secret"]}`,
		"unknown.json":   `{"name": "Unknown", "tables": ["nothing"]}`,
		"tableless.json": `{"name": "All"}`,
		"torn.json":      `{"name": `,
		"large.json":     `{"tables": ["numbers"], "name": "` + strings.Repeat("x", maxDashboardBytes) + `"}`,
		"notes.txt":      `{"name": "Notes", "tables": ["numbers"]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	seen := func(s *Session) (names string) {
		t.Helper()
		list, err := s.Dashboards(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			names += d.ID + " "
			if (d.Problem == "") != (d.Sheet != nil) {
				t.Errorf("%+v", d)
			}
		}
		return names
	}
	admin := c.As(LocalAdmin)
	if got := seen(admin); got != "" {
		t.Errorf("without a folder: %s", got)
	}
	c.folder = dir
	for _, name := range []string{"una", "otto", "vera"} {
		if _, err := admin.CreateUser(t.Context(), api.NewUser{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := admin.CreateGrant(t.Context(), api.NewGrant{User: "otto", TableID: "secret", Columns: []string{"word"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.CreateGrant(t.Context(), api.NewGrant{User: "vera", TableID: "secret"}); err != nil {
		t.Fatal(err)
	}
	for who, want := range map[*Session]string{admin: "large open secret tableless torn unknown ", userOf(t, c, "una"): "open ", userOf(t, c, "otto"): "open ", userOf(t, c, "vera"): "open secret "} {
		if got := seen(who); got != want {
			t.Errorf("%s sees %s, want %s", who.who.User, got, want)
		}
	}
	c.folder = t.TempDir()
	for n := range maxDashboards + 2 {
		if err := os.WriteFile(filepath.Join(c.folder, fmt.Sprintf("%03d.json", n)), []byte(`{"tables": ["numbers"]}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := admin.Dashboards(t.Context()); err != nil || len(all) != maxDashboards+1 || !strings.Contains(all[maxDashboards].Problem, "not read") {
		t.Errorf("%d dashboards, %v", len(all), err)
	}
	c.folder = dir
	list, err := admin.Dashboards(t.Context())
	if i := slices.IndexFunc(list, func(d api.Dashboard) bool { return d.ID == "open" }); err != nil || i < 0 || list[i].Name != "Open" || !strings.Contains(string(list[i].Sheet), `"cells"`) {
		t.Errorf("%v %+v", err, list)
	}
	publish := func(who *Session, id, sheet string, replace bool) string {
		t.Helper()
		_, err := who.PublishDashboard(t.Context(), api.NewDashboard{ID: id, Sheet: []byte(sheet), Replace: replace})
		var e *api.Error
		if errors.As(err, &e) {
			return cmp.Or(e.Kind, string(e.Code))
		}
		return ""
	}
	const sheet = `{"name": "New", "tables": ["numbers"]}`
	for _, c := range []struct {
		who       *Session
		id, sheet string
		replace   bool
		want      string
	}{
		{userOf(t, c, "una"), "new", sheet, false, "admin_only"}, {admin, "../new", sheet, false, "parameter"}, {admin, "new", `{"name": "New"}`, false, "parameter"},
		{admin, "new", sheet, false, ""}, {admin, "new", sheet, false, "dashboard_exists"}, {admin, "new", sheet, true, ""},
	} {
		if got := publish(c.who, c.id, c.sheet, c.replace); got != c.want {
			t.Errorf("%s: %q, want %q", c.id, got, c.want)
		}
	}
	if got := seen(userOf(t, c, "una")); got != "new open " {
		t.Errorf("una sees %s", got)
	}
	if err := errors.Join(admin.UnpublishDashboard(t.Context(), "new"), admin.UnpublishDashboard(t.Context(), "new")); err != nil {
		t.Error(err)
	}
	if got := seen(userOf(t, c, "una")); got != "open " {
		t.Errorf("una sees %s", got)
	}
}
