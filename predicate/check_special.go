package predicate

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	re "regexp/syntax"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // the names of zones do not depend on the machine
	"unicode"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/wordset"
	"github.com/agnes-data/da/predicate/syntax"
)

// intervalFunctions take their second argument as INTERVAL n PART.
var intervalFunctions = wordset.New(`date_add date_sub datetime_add datetime_sub timestamp_add timestamp_sub time_add time_sub`)

// isClock reports whether a dialect has a clock of the name.
func isClock(d *Traits, name string) bool {
	_, ok := d.clocks[name]
	return ok
}

var clockTypes = map[ClockKind]Kind{ClockDate: KindDate, ClockTimestamp: KindTimestamp, ClockDateTime: KindDateTime, ClockTime: KindTime}

func (c *checker) clock(name string, nodes []*syntax.Node) Expr {
	which, ok := c.d.clocks[name]
	if !ok || len(nodes) > 0 {
		return nil
	}
	return newClock(which)
}

func newClock(which ClockKind) *Clock {
	return &Clock{Which: which, T: Type{Kind: clockTypes[which]}}
}

// clockIn handles CURRENT_DATE('Europe/Prague') and the like: the time of the
// request, in a time zone. It returns nil for anything else.
func (c *checker) clockIn(n *syntax.Node, name string, nodes []*syntax.Node) (Expr, error) {
	function := map[string]string{"current_date": "date", "current_datetime": "datetime", "current_time": "time"}[name]
	if !c.d.clockInZone || function == "" || len(nodes) != 1 {
		return nil, nil
	}
	zone, err := c.expr(nodes[0])
	if err != nil {
		return nil, err
	}
	now := &syntax.Node{Kind: syntax.Call, At: n.At, End: n.End, Text: "current_timestamp"}
	return c.callWith(n, function, []*syntax.Node{now, nodes[0]}, []Expr{newClock(ClockTimestamp), zone})
}

// zone checks the name of a time zone. Only the engine knows which zones exist.
func (c *checker) zone(a argument) (Expr, int, error) {
	l, ok := a.e.(*Literal)
	s, isText := "", false
	if ok {
		s, isText = l.Value.(string)
	}
	if !isText || !knownZone(c.d, s) {
		return nil, 0, &syntax.Fault{Kind: api.KindBadLiteral, At: a.n.At, Found: c.snippet(a.n),
			Expected: "a time zone written out, such as 'Europe/Prague'",
			Msg:      "this is not the name of a time zone", Hint: "Names are those of the IANA list, such as 'Europe/Prague', and 'UTC'."}
	}
	return a.e, 0, nil
}

// knownZone reports whether all engines know a time zone and interpret it in the
// same way. They interpret abbreviations differently, and also offsets, unless
// the dialect follows the standard.
func knownZone(d *Traits, name string) bool {
	if name == "UTC" || d.zoneOffsets && zoneOffset().MatchString(name) {
		return true
	}
	if !strings.Contains(name, "/") || strings.HasPrefix(name, "Etc/") && name != "Etc/UTC" || len(name) > 64 {
		return false
	}
	if _, ok := zones.Load(name); ok {
		return true
	}
	if path.Clean(name) != name { // two spellings of one file
		return false
	}
	if _, err := time.LoadLocation(name); err != nil {
		return false
	}
	zones.Store(name, nil)
	return true
}

// zones are the names of time zones that were found, which takes reading a file.
// They are at most as many as there are files.
var zones sync.Map

var zoneOffset = lazyregexp.New(`^[+-](0?[0-9]|1[0-4])(:[0-5][0-9])?$`)

// like checks the matching of patterns.
func (c *checker) like(n *syntax.Node) (Expr, error) {
	out := &Like{All: n.Text == "all", IgnoreCase: n.Flag, Negated: n.Negated, Escape: c.d.likeEscape}
	if len(n.Names) == 1 {
		out.Escape, _ = utf8.DecodeRuneInString(n.Names[0].Text)
		if n.Names[0].Text == "" {
			out.Escape = 0
		}
		if c.d.ilikeFoldsEscape && out.IgnoreCase && unicode.IsLetter(out.Escape) {
			// The engine folds the pattern before it looks for the escape.
			return nil, &syntax.Fault{Kind: api.KindBadLiteral, At: n.Names[0].At, Found: syntax.Clip(n.Names[0].Text),
				Expected: "a sign other than a letter", Msg: "a letter can't be the escape of ILIKE", Hint: "Choose a sign, as in ESCAPE '!'."}
		}
	}
	if n.Text == "" {
		if err := c.bareNull(n.Args...); err != nil {
			return nil, err
		}
	}
	x, err := c.textOperand(n.Args[0])
	var no *syntax.Fault
	if errors.As(err, &no) && no.Kind == api.KindTypeMismatch && no.Hint == "" {
		no.Hint = "LIKE needs text. Use a range, as in " + c.snippet(n.Args[0]) + " BETWEEN a AND b, or CAST it to text."
	}
	if err != nil {
		return nil, err
	}
	out.X = x
	if out.IgnoreCase {
		out.As = c.d.Name
	}
	for _, p := range n.Args[1:] {
		pattern, err := c.textOperand(p)
		if err != nil {
			return nil, err
		}
		if err := c.doubleQuoted(n.Args[0], pattern); err != nil {
			return nil, err
		}
		if l, ok := pattern.(*Literal); ok && l.Value != nil {
			if _, ok := SplitPattern(l.Value.(string), out.Escape); !ok {
				return nil, &syntax.Fault{Kind: api.KindBadLiteral, At: p.At, Found: c.snippet(p),
					Expected: "a pattern with a character after the escape",
					Msg:      "the pattern ends with the escape character", Hint: "Write the escape character twice to match it."}
			}
		}
		if _, written := pattern.(*Literal); !written && c.d.LikeForm != nil {
			return nil, &syntax.Fault{Kind: api.KindBadLiteral, At: p.At, Found: c.snippet(p), Expected: "a pattern that is written out",
				Msg: "the pattern must be written out", Hint: "To find one text in another use contains, starts_with or ends_with."}
		}
		out.Patterns = append(out.Patterns, pattern)
	}
	if c.d.LikeForm != nil {
		if l := out.Patterns[0].(*Literal); l.Value != nil {
			if e := c.d.LikeForm(x, l.Value.(string), out.Escape, out.IgnoreCase, out.Negated); e != nil {
				return e, nil
			}
		}
	}
	return out, nil
}

// textOperand checks a node that must be a text.
func (c *checker) textOperand(n *syntax.Node) (Expr, error) {
	x, err := c.expr(n)
	if err != nil {
		return nil, err
	}
	t := x.Type()
	if t.Kind == KindNull {
		return &Literal{T: Type{Kind: KindString}}, nil
	}
	if t.Kind != KindString {
		f := c.mismatch(n, t, "a text")
		if n.Kind == syntax.Bytes {
			f.Kind = api.KindBytesLiteralRaw
		}
		return nil, f
	}
	return x, nil
}

// patternPart is a piece of a LIKE pattern: a literal character or a wildcard.
type patternPart struct {
	R    rune
	Wild bool
}

// SplitPattern reads a pattern; false if it ends in the middle of an escape.
func SplitPattern(p string, escape rune) ([]patternPart, bool) {
	out := make([]patternPart, 0, len(p))
	escaped := false
	for _, r := range p {
		switch {
		case escaped:
			out = append(out, patternPart{R: r})
			escaped = false
		case escape != 0 && r == escape:
			escaped = true
		default:
			out = append(out, patternPart{R: r, Wild: r == '%' || r == '_'})
		}
	}
	return out, !escaped
}

// regexp checks the operators ~, !~, ~* and !~*, which dialects spell alike and
// mean differently.
func (c *checker) regexp(n *syntax.Node) (Expr, error) {
	name := "~"
	if n.Flag {
		name = "~*"
	}
	name = cmp.Or(c.d.matchFunction, name)
	e, err := c.call(n, name, n.Args)
	if err != nil || !n.Negated {
		return e, err
	}
	return &Not{X: e}, nil
}

// checkPattern refuses a regular expression that RE2 could not read, where the
// engine is built on it.
func (c *checker) checkPattern(a argument) error {
	l, ok := a.e.(*Literal)
	if !ok || !c.d.re2 {
		return nil
	}
	s, ok := l.Value.(string)
	if !ok {
		return nil
	}
	if _, err := re.Parse(s, re.Perl); err != nil {
		return &syntax.Fault{Kind: api.KindBadLiteral, At: a.n.At, Found: c.snippet(a.n), Expected: "a regular expression (RE2)",
			Msg:  "the regular expression can't be read",
			Hint: "The syntax is RE2's: no look-around and no back-references."}
	}
	return nil
}

// cast checks a conversion that is written out.
func (c *checker) cast(n *syntax.Node) (Expr, error) {
	to, err := c.castTarget(n.Target)
	if err != nil {
		return nil, err
	}
	arg := n.Args[0]
	// The engines treat the cast of a string constant as a literal of the type.
	if arg.Kind == syntax.String && !n.Flag && c.adapts(arg, to) {
		switch to.Kind {
		case KindInt, KindDecimal, KindBool:
		case KindFloat:
			// NaN and infinities stay casts, because no literal can express them.
			if lit, err := c.adapt(arg, to); err == nil && to.Bits == 64 {
				return lit, nil
			}
		default:
			return c.adapt(arg, to)
		}
	}
	x, err := c.expr(arg)
	if err != nil {
		return nil, err
	}
	from := x.Type()
	if !castable(c.d, from, to) {
		return nil, &syntax.Fault{Kind: api.KindBadCast, At: n.At, Found: from.String(), Expected: "a type that can become " + to.String(),
			Msg: fmt.Sprintf("%s can't be cast to %s: it is %s", c.snippet(arg), to.String(), from.describe())}
	}
	out := &Cast{X: x, To: to, Safe: n.Flag}
	if !plainCast(from, to) || n.Flag {
		out.As = c.d.Name
	}
	return out, nil
}

// castTarget looks the type of a cast up.
func (c *checker) castTarget(ref *syntax.TypeRef) (Type, error) {
	t, ok := c.d.castTo(ref.Name)
	if !ok || ref.List {
		hint := ""
		if known := func(d namedTraits) bool { return d.traits().typeNames[ref.Name].Kind != KindUnknown }; slices.ContainsFunc(dialects, known) {
			hint = c.d.castHint
		}
		return t, badTarget(ref, fmt.Sprintf("%s is not a type that a value can be cast to here", strings.ToUpper(syntax.Clip(ref.Name))), hint)
	}
	if len(ref.Params) == 0 {
		t.Name = CastSpelling(c.d, t)
		return t, nil
	}
	whole := cmp.Or(c.d.decimalDigits, t.Precision)
	scale := 0
	if len(ref.Params) > 1 {
		scale = ref.Params[1]
	}
	if t.Kind != KindDecimal || ref.Params[0] < 1 || ref.Params[0] > whole || scale > ref.Params[0] {
		return t, badTarget(ref, fmt.Sprintf("%s can't have these parameters here", strings.ToUpper(ref.Name)),
			"Only decimal types take a precision and a scale.")
	}
	if c.d.decimalDigits == 0 && (scale > t.Scale || ref.Params[0]-scale > t.Precision-t.Scale) {
		return t, badTarget(ref, "the precision or scale is out of range", "")
	}
	t.Precision, t.Scale = ref.Params[0], scale
	t.Name = fmt.Sprintf("%s(%d, %d)", CastSpelling(c.d, t), t.Precision, t.Scale)
	return t, nil
}

// badTarget is the fault of a type that nothing can be cast to.
func badTarget(ref *syntax.TypeRef, msg, hint string) *syntax.Fault {
	return &syntax.Fault{Kind: api.KindBadCast, At: ref.At, Found: ref.Name, Expected: "one of the types in docs/predicates.md", Msg: msg,
		Hint: hint}
}
