package config

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/agnes-data/da/api"
)

// Schedule is a file of steps that a server runs for a user.
type Schedule struct {
	Name string // for the record; a name of the catalog's kind
	File string // absolute, as da run reads it
	User string // with whose rights the steps ask
	// Every is the time between two runs, and From when a day's first one is due, in UTC.
	Every, From time.Duration
	// Server is how the steps reach this server; empty: at what it listens on.
	Server string
	// Files are those of the steps, relative to File's folder, that the user gets as files
	// on the server, in the folder Folder.
	Files  []string
	Folder string
	// Webhook is the address that is told how a run ended; empty: none.
	Webhook string
	// Command is run with the same on its standard input; empty: none.
	Command []string
}

// Due is when the last run before a moment was due.
func (s Schedule) Due(now time.Time) time.Time { return now.Add(-s.From).Truncate(s.Every).Add(s.From) }

// schedules reads the section schedules.
func (p *instanceReader) schedules(n ast.Node) {
	for _, item := range p.list(n) {
		var s Schedule
		var daily string
		seen := p.readFields(p.entries(item, "a schedule"), []field{
			{"name", p.text(&s.Name, func(name string) string {
				if api.CheckName("schedule", name) != nil {
					return "must be 1 to 64 of a-z, 0-9 and _"
				}
				return ""
			})},
			{"file", p.text(&s.File, notEmpty)},
			{"user", p.text(&s.User, notEmpty)},
			{"every_seconds", p.seconds(&s.Every, 1)},
			{"daily", p.text(&daily, func(at string) string {
				clock, err := time.Parse("15:04", at)
				if err != nil {
					return "must be a time of the day in UTC, as in \"06:00\""
				}
				s.Every, s.From = 24*time.Hour, time.Duration(clock.Hour())*time.Hour+time.Duration(clock.Minute())*time.Minute
				return ""
			})},
			{"server", p.text(&s.Server, checkIssuer)},
			{"files", p.texts(&s.Files)},
			{"folder", p.text(&s.Folder, notEmpty)},
			{"webhook", p.text(&s.Webhook, checkIssuer)},
			{"command", p.texts(&s.Command)},
		})
		at := nodePosition(item)
		for _, key := range []string{"name", "file", "user"} {
			if _, ok := seen[key]; !ok {
				p.faultAt(at, "a schedule: %s is missing", key)
			}
		}
		_, every := seen["every_seconds"]
		if _, once := seen["daily"]; every == once {
			p.faultAt(at, "a schedule has either daily or every_seconds")
		}
		if slices.ContainsFunc(p.inst.Schedules, func(o Schedule) bool { return o.Name == s.Name }) {
			p.faultAt(at, "two schedules are called %s", s.Name)
		}
		for _, file := range s.Files {
			if !filepath.IsLocal(file) {
				p.faultAt(at, "a schedule: %s is not in the folder of its file of steps", file)
			}
		}
		s.File = p.absolute(s.File)
		p.inst.Schedules = append(p.inst.Schedules, s)
	}
}
