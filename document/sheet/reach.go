package sheet

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
)

// starting are functions that load a library or call another program.
const starting = " CALL DDE EXEC REGISTER REGISTER.ID RTD "

// reaching are functions with which one spreadsheet program or another asks servers,
// as soon as the file is opened or what they depend on changes.
const reaching = " WEBSERVICE IMAGE IMPORTDATA IMPORTFEED IMPORTHTML IMPORTXML IMPORTRANGE GOOGLEFINANCE GOOGLETRANSLATE STOCKHISTORY TRANSLATE " +
	"DETECTLANGUAGE COPILOT SQL.REQUEST CUBEKPIMEMBER CUBEMEMBER CUBEMEMBERPROPERTY CUBERANKEDMEMBER CUBESET CUBESETCOUNT CUBEVALUE "

// startsProgram names what in a formula calls another program, or is empty: a |
// outside of texts and names, or a function that does so in one spreadsheet program
// or another.
func startsProgram(formula string) (what string) {
	eachPart(formula, func(part, rest string) {
		switch {
		case what != "":
		case part == "|":
			what = "a | outside of quotes"
		case calls(part, rest, starting):
			what = "the function " + strings.ToUpper(part)
		}
	})
	return what
}

// reachesOut names what in a formula gets something from elsewhere or leads there, each
// once: functions, and files of servers.
func reachesOut(formula string) (all []string) {
	seen := map[string]bool{}
	add := func(what string) {
		if !seen[what] {
			all = append(all, what)
		}
		seen[what] = true
	}
	eachPart(formula, func(part, rest string) {
		switch {
		case calls(part, rest, reaching):
			add("the function " + plainName(part))
		case calls(part, rest, " HYPERLINK ") && leadsOut(rest):
			add("the function HYPERLINK")
		case part[0] == '\'' && external(part) || part[0] == '[' && external(part):
			add("a reference to a file elsewhere")
		}
	})
	return all
}

// leadsOut reports whether the arguments of HYPERLINK begin with something other than
// the text of a place nearby.
func leadsOut(arguments string) bool {
	_, first, _ := strings.Cut(arguments, "(")
	if first = strings.TrimLeft(first, " \t\r\n"); !strings.HasPrefix(first, `"`) {
		return true // it is not known before it is calculated
	}
	n := quotedLength(first, '"')
	after := strings.TrimLeft(first[n:], " \t\r\n")
	whole := after == "" || after[0] == ',' || after[0] == ';' || after[0] == ')'
	return !whole || !strings.HasPrefix(first, `"#`) && external(first[:n])
}

// external reports whether a text has a scheme such as https:, a drive, or the name of
// a server.
func external(text string) bool {
	return strings.ContainsRune(text, ':') || strings.Contains(text, `\\`) || strings.Contains(text, "//")
}

// calls reports whether a part is the name of one of some functions, and is called.
func calls(part, rest, functions string) bool {
	return strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), "(") && strings.Contains(functions, " "+plainName(part)+" ")
}

// plainName is the name of a function as users know it.
func plainName(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(strings.ToUpper(name), "_XLFN."), "_XLWS.")
}

// eachPart hands the words, the quoted and bracketed pieces and the other characters
// of a formula to f, each with what follows it.
func eachPart(formula string, f func(part, rest string)) {
	for i := 0; i < len(formula); {
		n := 1
		switch c := formula[i]; {
		case c == '"' || c == '\'':
			n = quotedLength(formula[i:], c)
		case c == '[':
			n = bracketLength(formula[i:])
		case wordByte(c):
			n = wordLength(formula[i:])
		}
		f(formula[i:i+n], formula[i+n:])
		i += n
	}
}

// reach is what formulas of some cells reach.
type reach struct {
	what, first string
	count       int
}

// note adds a cell to what formulas reach.
func note(all []reach, what, cell string) []reach {
	for i := range all {
		if all[i].what == what {
			all[i].count++
			return all
		}
	}
	return append(all, reach{what, cell, 1})
}

// where begins a sentence about the cells.
func (r reach) where() string {
	if r.count > 1 {
		return fmt.Sprintf("%s and %d other cells have ", r.first, r.count-1)
	}
	return r.first + " has "
}

// request tells what may be sent when the workbook is opened.
func (r reach) request() api.Caveat {
	return r.tells("a program that opens the workbook may send a request to a server")
}

func (r reach) tells(danger string) api.Caveat {
	c := ooxml.Outside("%s%s: %s", r.where(), r.what, danger)
	c.Count = &api.Count{N: int64(r.count), Of: "cells"}
	return c
}
