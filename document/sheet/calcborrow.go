package sheet

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/xuri/excelize/v2"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// signature says what a function takes and gives. Each letter of takes is an argument:
// n a number, t a text, d a day, c a time of a day, r the numbers of a range, f the
// format of a number; the last is repeated. Those from least on can be left out.
type signature struct {
	takes string
	least int
	gives byte // n, t or d
}

// borrowed are the functions that the library calculates, as far as it agrees with
// other programs.
var borrowed = sync.OnceValue(func() map[string]signature {
	out := map[string]signature{}
	for _, line := range []struct {
		takes string
		least int
		gives byte
		names string
	}{
		{"n", 1, 'n', "ABS INT SIGN SQRT EXP LN LOG10 SIN COS TAN ASIN ACOS ATAN SINH COSH TANH EVEN ODD FACT FISHER"},
		{"nn", 2, 'n', "ROUND ROUNDUP ROUNDDOWN MOD POWER QUOTIENT MROUND CEILING FLOOR ATAN2 COMBIN GCD LCM"},
		{"nn", 1, 'n', "TRUNC LOG"},
		{"nnnnn", 3, 'n', "PMT PV FV NPER"},
		{"nnnnnn", 4, 'n', "IPMT PPMT"},
		{"nnn", 3, 'n', "SLN"}, {"nnnn", 4, 'n', "SYD"},
		{"r", 1, 'n', "MEDIAN STDEV STDEV.S STDEVP STDEV.P VAR VAR.S VARP VAR.P GEOMEAN HARMEAN DEVSQ SKEW KURT MODE MODE.SNGL"},
		{"rn", 2, 'n', "LARGE SMALL PERCENTILE PERCENTILE.INC QUARTILE QUARTILE.INC"},
		{"t", 1, 't', "UPPER LOWER TRIM PROPER CLEAN"}, {"t", 1, 'n', "LEN CODE"},
		{"n", 1, 't', "CHAR UNICHAR"}, {"nn", 1, 't', "DEC2HEX DEC2BIN DEC2OCT"},
		{"tn", 1, 't', "LEFT RIGHT"}, {"tn", 2, 't', "REPT"}, {"tnn", 3, 't', "MID"},
		{"ttn", 2, 'n', "FIND SEARCH"}, {"tttn", 3, 't', "SUBSTITUTE"}, {"tnnt", 4, 't', "REPLACE"},
		{"nf", 2, 't', "TEXT"},
		{"d", 1, 'n', "YEAR MONTH DAY ISOWEEKNUM"}, {"dn", 1, 'n', "WEEKDAY WEEKNUM"}, {"c", 1, 'n', "HOUR MINUTE SECOND"},
		{"nnn", 3, 'd', "DATE"}, {"nnn", 3, 'n', "TIME"},
		{"dn", 2, 'd', "EDATE EOMONTH"}, {"dd", 2, 'n', "DAYS"}, {"ddn", 2, 'n', "YEARFRAC"}, {"dd", 2, 'n', "NETWORKDAYS"},
		{"dn", 2, 'd', "WORKDAY"},
	} {
		for _, name := range strings.Fields(line.names) {
			out[name] = signature{line.takes, line.least, line.gives}
		}
	}
	return out
})

// scratch is the workbook in which the library calculates one function at a time.
type scratch struct{ file *excelize.File }

const (
	scratchSheet = "Sheet1"
	scratchCell  = "A1"
	lateDay      = 61   // the first after a day that never was
	between      = 1462 // days between the two date systems
)

var plainFormat = lazyregexp.New(`^(#,##)?0(\.0+)?%?$`)

// borrow has the library calculate a function. Each argument is in a cell, or in a
// column, of its own: so the library need not read them.
func (m *model) borrow(name string, f signature, args []expr) (Value, error) {
	if len(args) < f.least || len(args) > len(f.takes) && !strings.HasSuffix(f.takes, "r") {
		return Value{}, cannot("%s with other arguments", name)
	}
	if m.scratch == nil {
		m.scratch = &scratch{excelize.NewFile()}
	}
	var operands []string
	var checked []Value
	var failed Value
	for i := 0; i < len(args); i++ {
		kind, col := f.takes[min(i, len(f.takes)-1)], letters(i+2)
		if kind == 'r' {
			of := args[i : i+1]
			if last := i == len(f.takes)-1; last {
				of = args[i:]
				i = len(args)
			}
			all, bad, err := m.numbers(of)
			if err == nil && bad.kind == errorKind {
				failed, err = failed.or(bad)
			}
			if err != nil {
				return bad, err
			}
			if bad.kind == errorKind {
				continue
			}
			if len(all) == 0 {
				return Value{}, cannot("%s of no numbers", name)
			}
			if m.work += 10 * len(all); m.work > maxWork {
				return Value{}, cannot("formulas that read more than %d cells", maxWork)
			}
			for j, n := range all {
				if err := m.scratch.file.SetCellFloat(scratchSheet, col+strconv.Itoa(j+1), n, -1, 64); err != nil {
					return Value{}, err
				}
			}
			operands = append(operands, fmt.Sprintf("%s1:%s%d", col, col, len(all)))
			checked = append(checked, Value{kind: numberKind, number: float64(len(all))})
			continue
		}
		v, err := m.operand(args[i], kind)
		if err == nil && v.kind == errorKind {
			failed, err = failed.or(v)
		}
		if err != nil {
			return v, err
		}
		if v.kind == errorKind {
			continue
		}
		if v.kind == textKind {
			err = m.scratch.file.SetCellStr(scratchSheet, col+"1", v.text)
		} else {
			err = m.scratch.file.SetCellFloat(scratchSheet, col+"1", v.number, -1, 64)
		}
		if err != nil {
			return v, err
		}
		operands, checked = append(operands, col+"1"), append(checked, v)
	}
	if failed.kind == errorKind {
		return failed, nil
	}
	if err := outside(name, checked); err != nil {
		return Value{}, err
	}
	return m.borrowed(name, f, operands)
}

// operand is an argument in the type that a function takes.
func (m *model) operand(e expr, kind byte) (Value, error) {
	if e == nil {
		return Value{}, cannot("an argument that is left out")
	}
	v, err := m.scalar(e)
	if err != nil || v.kind == errorKind {
		return v, err
	}
	switch kind {
	case 't':
		return v.toText()
	case 'f':
		if v.kind != textKind || !plainFormat().MatchString(v.text) {
			return v, cannot("a format of numbers that depends on the language")
		}
		return v, nil
	case 'n':
		return v.toNumber()
	}
	if v.kind == textKind {
		return v, cannot("a text as a date")
	}
	v = numberValue(v.number)
	if kind == 'c' {
		seconds := (v.number - math.Floor(v.number)) * 86400
		if v.number < 0 || math.Abs(seconds-math.Round(seconds)) > 1e-3 || math.Round(seconds) == 86400 {
			return v, cannot("a part of a second, which programs round differently")
		}
		return numberValue((math.Round(seconds) + .01) / 86400), nil
	}
	if m.is1904() {
		v.number += between
	}
	if v.number < lateDay || v.number >= 2958466 {
		return v, cannot("days before March 1900, which programs count differently")
	}
	return v, nil
}

func (m *model) is1904() bool {
	v := m.book.root.Find("s:workbookPr").Attr("date1904")
	return v == "1" || v == "true"
}

// outside refuses arguments for which programs differ, or the library is known to.
func outside(name string, v []Value) error {
	negative := slices.ContainsFunc(v, func(v Value) bool { return v.kind == numberKind && v.number < 0 })
	switch name {
	case "CEILING", "FLOOR", "MROUND", "COMBIN", "GCD", "LCM", "FACT", "EVEN", "ODD", "QUOTIENT":
		if negative {
			return cannot("%s of numbers below 0", name)
		}
	case "DATE":
		if v[0].number < 1900 || v[0].number > 9999 || v[0].number == 1900 && v[1].number < 3 || negative {
			return cannot("days before March 1900, which programs count differently")
		}
	case "YEARFRAC", "NETWORKDAYS":
		if v[0].number > v[1].number || len(v) > 2 && v[2].number == 1 {
			return cannot("%s of days that are not in order", name)
		}
	case "LOG", "LN", "LOG10":
		if v[0].number <= 0 || len(v) > 1 && (v[1].number <= 0 || v[1].number == 1) {
			return cannot("%s of these arguments", name)
		}
	case "POWER":
		if v[0].number == 0 {
			return cannot("powers of 0, which programs count differently")
		}
	case "CHAR", "CODE":
		if v[0].kind == numberKind && (v[0].number < 32 || v[0].number >= 127) || v[0].kind == textKind &&
			(v[0].text == "" || v[0].text[0] >= 127) {
			return cannot("%s of letters that are not ASCII", name)
		}
	case "SEARCH":
		if strings.ContainsAny(v[0].text, "*?~") || v[0].text == "" {
			return cannot("a search with wildcards")
		}
	case "FIND":
		if v[0].text == "" {
			return cannot("a search for nothing")
		}
	}
	for _, one := range v {
		if one.kind == textKind && strings.ContainsFunc(one.text, func(r rune) bool { return r > 0xFFFF || r >= 0x300 && r < 0x370 || r < ' ' }) {
			return cannot("letters that programs count differently")
		}
	}
	return nil
}

func (m *model) borrowed(name string, f signature, operands []string) (Value, error) {
	file := m.scratch.file
	if err := file.SetCellFormula(scratchSheet, scratchCell, name+"("+strings.Join(operands, ",")+")"); err != nil {
		return Value{}, err
	}
	text, err := file.CalcCellValue(scratchSheet, scratchCell, excelize.Options{RawCellValue: true})
	failed := err != nil || slices.Contains(errorValues(), text)
	switch {
	case failed && strings.Contains(fmt.Sprint(err, text), "#VALUE!") && (name == "FIND" || name == "SEARCH"):
		return errorValue("#VALUE!"), nil
	case failed: // the library has more errors than other programs, and other ones
		return Value{}, cannot("%s of these arguments", name)
	case f.gives == 't':
		return textValue(text), nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return Value{}, cannot("%s of these arguments", name)
	}
	if f.gives == 'd' && m.is1904() {
		n -= between
	}
	return numberValue(n), nil
}
