package sheet

import (
	"strconv"
	"strings"
)

// mapFormula changes the references in a formula and leaves the rest unchanged:
// texts, functions, names, tables and other workbooks.
func mapFormula(formula string, f func(sheet, ref string) string) string {
	var b strings.Builder
	for i := 0; i < len(formula); {
		switch c := formula[i]; {
		case c == '"':
			n := quotedLength(formula[i:], '"')
			b.WriteString(formula[i : i+n])
			i += n
		case c == '[': // columns of a table, or another workbook
			n := bracketLength(formula[i:])
			b.WriteString(formula[i : i+n])
			i += n
			for i < len(formula) && (wordByte(formula[i]) || formula[i] == '!') { // what is named there
				b.WriteByte(formula[i])
				i++
			}
		case c == '\'' || wordByte(c) || c == '$':
			n, sheet, ref := operand(formula[i:])
			if ref == "" {
				b.WriteString(formula[i : i+n])
			} else {
				b.WriteString(formula[i:i+n-len(ref)] + f(sheet, ref))
			}
			i += n
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '\\' || c == '?' || c >= 0x80
}

// quotedLength is how long a piece in quotes is; two quotes within it are one.
func quotedLength(s string, quote byte) int {
	for i := 1; i < len(s); i++ {
		if s[i] != quote {
			continue
		}
		if i+1 < len(s) && s[i+1] == quote {
			i++
			continue
		}
		return i + 1
	}
	return len(s)
}

func bracketLength(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '\'': // escapes the next character in the names of columns
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// operand reads a word at the beginning of s, including a preceding sheet name.
// ref is the reference at the end of the word, or "" if the word is not a
// reference.
func operand(s string) (n int, sheet, ref string) {
	if s[0] == '\'' {
		n = quotedLength(s, '\'')
		if n == len(s) || s[n] != '!' {
			return n, "", ""
		}
		sheet = strings.ReplaceAll(s[1:n-1], "''", "'")
		n++
	} else if end := wordLength(s); end < len(s) && s[end] == '!' {
		sheet, n = s[:end], end+1
	}
	end := wordLength(s[n:])
	word := s[n : n+end]
	if n+end < len(s) && s[n+end] == ':' { // a range of cells, columns or rows
		second := s[n+end+1 : n+end+1+wordLength(s[n+end+1:])]
		if _, ok := parseArea(word + ":" + second); ok {
			return n + end + 1 + len(second), sheet, word + ":" + second
		}
		if sheet == "" && n+end+1+len(second) < len(s) && s[n+end+1+len(second)] == '!' { // sheets: A:B!C1
			rest := n + end + 2 + len(second)
			return rest + wordLength(s[rest:]), "", ""
		}
	}
	if n+end < len(s) && (s[n+end] == '(' || s[n+end] == '[') {
		return n + end, sheet, ""
	}
	if _, ok := parseCell(word); !ok || end == 0 {
		return max(n+end, 1), sheet, ""
	}
	return n + end, sheet, word
}

func wordLength(s string) int {
	for i := range len(s) {
		if !wordByte(s[i]) && s[i] != '$' {
			return i
		}
	}
	return len(s)
}

// corner is one corner of a reference, with its dollar signs.
type corner struct {
	cell
	fixedRow, fixedCol bool
}

func cornerOf(s string) (corner, bool) {
	c := corner{fixedCol: strings.HasPrefix(s, "$")}
	letters := strings.TrimPrefix(s, "$")
	c.fixedRow = strings.Contains(letters, "$")
	var rest string
	c.cell, rest = splitRef(strings.ReplaceAll(s, "$", ""))
	if c.col == 0 { // a row alone: $1
		c.fixedRow, c.fixedCol = c.fixedCol, false
	}
	return c, rest == ""
}

func (c corner) String() string {
	out := ""
	if c.col > 0 {
		if c.fixedCol {
			out = "$"
		}
		out += letters(c.col)
	}
	if c.row > 0 {
		if c.fixedRow {
			out += "$"
		}
		out += strconv.Itoa(c.row)
	}
	return out
}

// moveFormula is a formula as it reads in a cell that is so far from its own.
func moveFormula(formula string, rows, cols int) string {
	return mapFormula(formula, func(_, ref string) string {
		parts := strings.Split(ref, ":")
		for i, p := range parts {
			c, ok := cornerOf(p)
			if !ok {
				return ref
			}
			if c.row > 0 && !c.fixedRow {
				c.row += rows
			}
			if c.col > 0 && !c.fixedCol {
				c.col += cols
			}
			if c.row < 0 || c.col < 0 || c.row == 0 && c.col == 0 {
				return "#REF!"
			}
			parts[i] = c.String()
		}
		return strings.Join(parts, ":")
	})
}

// newer are functions that files name with a prefix, since older programs do not
// know them.
const newer = " CONCAT IFS MAXIFS MINIFS SWITCH TEXTJOIN XLOOKUP XMATCH LET LAMBDA UNIQUE SORTBY SEQUENCE RANDARRAY TEXTSPLIT TEXTBEFORE TEXTAFTER " +
	"VSTACK HSTACK TOROW TOCOL WRAPROWS WRAPCOLS TAKE DROP CHOOSEROWS CHOOSECOLS EXPAND STDEV.S STDEV.P VAR.S VAR.P MODE.SNGL PERCENTILE.INC PERCENTILE.EXC " +
	"QUARTILE.INC QUARTILE.EXC RANK.EQ RANK.AVG NORM.DIST NORM.INV NORM.S.DIST NORM.S.INV DAYS IFNA ISOWEEKNUM NUMBERVALUE UNICHAR UNICODE XOR FORMULATEXT ISFORMULA SHEET SHEETS " +
	"WEBSERVICE ENCODEURL FILTERXML IMAGE "

// storedFormula is a formula as files have it.
func storedFormula(formula string) string {
	var b strings.Builder
	for i := 0; i < len(formula); {
		switch c := formula[i]; {
		case c == '"' || c == '\'':
			n := quotedLength(formula[i:], c)
			b.WriteString(formula[i : i+n])
			i += n
		case wordByte(c):
			n := wordLength(formula[i:])
			word := formula[i : i+n]
			if i+n < len(formula) && formula[i+n] == '(' {
				upper := strings.ToUpper(word)
				switch {
				case upper == "FILTER" || upper == "SORT":
					word = "_xlfn._xlws." + upper
				case strings.Contains(newer, " "+upper+" "):
					word = "_xlfn." + upper
				}
			}
			b.WriteString(word)
			i += n
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}
