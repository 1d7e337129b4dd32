package config

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/agnes-data/da/api"
)

func loginPlaces(t *testing.T) Places {
	dir := t.TempDir()
	return Places{Getenv: func(string) string { return "" }, Home: dir, Dir: dir}
}

func TestLoginsSurviveAndKeepTheirTokensApart(t *testing.T) {
	p := loginPlaces(t)
	if l, err := LoadLogins(p); err != nil || len(l.Servers) != 0 || l.Default != "" {
		t.Fatalf("of nothing: %+v, %v", l, err)
	}
	change := func(f func(*Logins)) *Logins {
		t.Helper()
		if err := ChangeLogins(p, func(l *Logins) error { f(l); return nil }); err != nil {
			t.Fatal(err)
		}
		l, err := LoadLogins(p)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	change(func(l *Logins) { l.Add(Login{Name: "a", URL: "https://a.example.com/x/", Token: "ta"}) })
	l := change(func(l *Logins) { l.Add(Login{Name: "b:8400", URL: "https://b.example.com", Token: "tb"}) })
	if l.Default != "b:8400" || l.At("https://a.example.com/x").Token != "ta" || l.At("https://b.example.com/").Token != "tb" {
		t.Errorf("%+v", l)
	}
	for _, url := range []string{"https://a.example.com", "http://b.example.com", "https://b.example.com.evil.org", ""} {
		if other := l.At(url); other != nil {
			t.Errorf("%q is sent the token %s", url, other.Token)
		}
	}
	l = change(func(l *Logins) { l.Add(Login{Name: "a", URL: "https://a.example.com/x", Token: "new"}) })
	if len(l.Servers) != 2 || l.Default != "a" || l.Find("a").Token != "new" {
		t.Errorf("logged in again: %+v", l)
	}
	if l = change(func(l *Logins) { l.Remove("a") }); l.Default != "b:8400" || l.Find("a") != nil {
		t.Errorf("one is left: %+v", l)
	}
	if l = change(func(l *Logins) { l.Remove("b:8400") }); l.Default != "" || len(l.Servers) != 0 {
		t.Errorf("none is left: %+v", l)
	}
}

func TestAFailedChangeOfLoginsChangesNothing(t *testing.T) {
	p := loginPlaces(t)
	boom := errors.New("boom")
	err := ChangeLogins(p, func(l *Logins) error {
		l.Add(Login{Name: "a", URL: "https://a.example.com", Token: "t"})
		return boom
	})
	if l, loadErr := LoadLogins(p); !errors.Is(err, boom) || loadErr != nil || len(l.Servers) != 0 {
		t.Errorf("%v, %+v, %v", err, l, loadErr)
	}
}

func TestLoginsAtOnceAreAllKept(t *testing.T) {
	p := loginPlaces(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			err := ChangeLogins(p, func(l *Logins) error {
				name := string(rune('a' + i))
				l.Add(Login{Name: name, URL: "https://" + name + ".example.com", Token: "t"})
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if l, err := LoadLogins(p); err != nil || len(l.Servers) != 8 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestLoginsThatOthersCanReadOrThatAreBrokenAreRefused(t *testing.T) {
	p := loginPlaces(t)
	dir := filepath.Join(p.Home, ".agnes")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := ChangeLogins(p, func(l *Logins) error {
		l.Add(Login{Name: "a", URL: "https://a.example.com", Token: "secret"})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "logins.json")
	for path, want := range map[string]os.FileMode{dir: 0o700, file: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string) {
		t.Helper()
		if l, err := LoadLogins(p); !api.CodeConfig.Is(err) {
			t.Errorf("%s: %+v, %v", what, l, err)
		}
	}
	for path, mode := range map[string]os.FileMode{dir: 0o750, file: 0o640} {
		was, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		refused("mode of " + path)
		if err := os.Chmod(path, was.Mode()); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"", "{", `{"servers":[{"name":"a","url":"file:///x","token":"t"}]}`,
		`{"servers":[{"name":"a","url":"https://x","token":"t\n"}]}`, `{"servers":[{"name":"../a","url":"https://x","token":"t"}]}`,
		`{"servers":[{"name":"a","url":"https://x","token":""}]}`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		refused(text)
	}
	if err := os.WriteFile(file, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := LoadLogins(p); err != nil || l.Find("a") == nil {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestNamesOfServers(t *testing.T) {
	for name, ok := range map[string]bool{
		"prod": true, "data.example.com": true, "127.0.0.1:8400": true, "": false, "a b": false,
		"https://x": false, "-x": false, "a:b": false, "ä": false, "a/b": false,
	} {
		if err := CheckServerName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
