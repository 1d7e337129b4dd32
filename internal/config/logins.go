package config

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/suggest"
)

// Login is a server that the user has logged in to.
type Login struct {
	Name  string `json:"name"`
	URL   string `json:"url"`
	User  string `json:"user"` // as the server called the user at login
	Token string `json:"token"`
	// Keyring says that the token is in the system's keyring in place of here.
	Keyring bool `json:"keyring,omitempty"`
}

// Logins are all servers that the user has logged in to.
type Logins struct {
	// Default is the name of the server to use if no other is given; may be
	// empty.
	Default string  `json:"default"`
	Servers []Login `json:"servers"`
}

// ServerNamePattern matches names of servers. No URL matches it.
const ServerNamePattern = `^[A-Za-z0-9][A-Za-z0-9._-]{0,62}(:[0-9]{1,5})?$`

var serverName = lazyregexp.New(ServerNamePattern)

// maxLogins bounds the file of logins.
const maxLogins = 1 << 20

// loginsFile is the file with names, URLs and tokens.
func (p Places) loginsFile() (string, error) { return p.home(EnvToken, ".agnes", "logins.json") }

// CheckServerName returns a CodeUsage error for an invalid server name.
func CheckServerName(name string) error {
	if serverName().MatchString(name) {
		return nil
	}
	return &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("'%s' cannot be the name of a server", api.Clip(name, 80)),
		Hint: "A name is up to 63 letters, digits, dots, dashes and underscores.", Next: []api.Step{api.Set(api.OptionName, "give one")},
		Details: map[string]any{"pattern": ServerNamePattern}}
}

// Find returns the login of that name; nil if there is no such login.
func (l *Logins) Find(name string) *Login {
	i := slices.IndexFunc(l.Servers, func(s Login) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &l.Servers[i]
}

// At returns the login at a server's URL, or nil. A token is only ever
// sent to the server that it was given for.
func (l *Logins) At(url string) *Login {
	i := slices.IndexFunc(l.Servers, func(s Login) bool { return s.URL == strings.TrimRight(url, "/") })
	if i < 0 {
		return nil
	}
	return &l.Servers[i]
}

// Add adds a login, which becomes the default, or replaces the one of its name.
func (l *Logins) Add(login Login) {
	login.URL = strings.TrimRight(login.URL, "/")
	if old := l.Find(login.Name); old != nil {
		*old = login
	} else {
		l.Servers = append(l.Servers, login)
	}
	l.Default = login.Name
}

// Remove removes a login. If one other is left, that is the default now.
func (l *Logins) Remove(name string) {
	l.Servers = slices.DeleteFunc(l.Servers, func(s Login) bool { return s.Name == name })
	if l.Default == name {
		l.Default = ""
	}
	if l.Default == "" && len(l.Servers) == 1 {
		l.Default = l.Servers[0].Name
	}
}

// Unknown is the error for a name that is not a login's.
func (l *Logins) Unknown(name string) error {
	var names []string
	for _, s := range l.Servers {
		names = append(names, s.Name)
	}
	e := &api.Error{Code: api.CodeConfig, Kind: api.KindUnknownServer,
		Message: fmt.Sprintf("there is no server named '%s'", api.Clip(name, 80)),
		Hint:    "Give a URL, or log in first.", Next: []api.Step{api.Do(api.ActionLogin, "log in")},
		Details: map[string]any{"server": name, "known": append([]string{}, names...)}}
	if near := suggest.Near(name, names); len(near) > 0 {
		e.Hint = fmt.Sprintf("Did you mean '%s'?", near[0])
	} else if len(names) > 0 {
		e.Hint = "You are logged in to: " + strings.Join(names, ", ") + "."
	}
	return e
}

// LoadLogins reads the logins, which may not exist. It rejects a file that others
// can read, because its tokens may have leaked.
func LoadLogins(p Places) (*Logins, error) {
	if p.Home == "" {
		return &Logins{}, nil
	}
	file, err := p.loginsFile()
	if err != nil {
		return nil, err
	}
	if err := checkModes(file, maxLogins); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return &Logins{}, nil
		}
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, tokenError(file, "cannot be read: "+reason(err), "", err)
	}
	var l Logins
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&l); err != nil {
		return nil, tokenError(file, "is damaged", "Remove it, and log in again.", err)
	}
	for _, s := range l.Servers {
		if _, err := checkToken(s.Token, file); err != nil && !s.Keyring {
			return nil, err
		}
		if what := CheckServer(s.URL); what != "" || s.URL == "" || !serverName().MatchString(s.Name) {
			return nil, tokenError(file, "is damaged", "Remove it, and log in again.", nil)
		}
	}
	return &l, nil
}

// ChangeLogins changes the logins on disk: 0600 in a folder of 0700. Of two
// that change them at once, one waits.
func ChangeLogins(p Places, change func(*Logins) error) error {
	file, err := p.loginsFile()
	if err != nil {
		return err
	}
	dir := filepath.Dir(file)
	failed := func(err error) error { return atomicfile.Explain("store the login", err) }
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return failed(err)
	}
	// The folder may exist already, created by an editor.
	if err := os.Chmod(dir, 0o700); err != nil {
		return failed(err)
	}
	lock, err := store.WaitLock(context.Background(), filepath.Join(dir, ".logins.lock"), store.Alone)
	if err != nil {
		return failed(err)
	}
	defer lock.Unlock()
	l, err := LoadLogins(p)
	if err != nil {
		return err
	}
	if err := change(l); err != nil {
		return err
	}
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(file, append(data, '\n'), 0o600); err != nil {
		return failed(err)
	}
	return nil
}
