package growth

import (
	"strconv"
	"strings"

	"github.com/agnes-data/da/internal/words/wordset"
)

// Arg is an argument of a call.
type Arg struct {
	Size
	// Literal says that the argument is written out, and is Written.
	Literal bool
	Written string
}

// number returns the value of a literal argument.
func number(args []Arg, i int) (int64, bool) {
	if i >= len(args) || !args[i].Literal {
		return 0, false
	}
	n, err := strconv.ParseFloat(args[i].Written, 64)
	if err != nil {
		return 0, false
	}
	return int64(max(0, min(n, float64(Unbounded)))), true
}

func total(args []Arg) int64 {
	sum := int64(0)
	for _, a := range args {
		sum = Sum(sum, a.Text)
	}
	return sum
}

// Call returns an upper bound for the size of a call; function is in lower case.
// A function that is not listed as growing is assumed to return no more than its
// arguments together.
func Call(function string, args []Arg) Size {
	s := Size{Nodes: 1, Text: ValueText}
	for _, a := range args {
		s.Nodes = Sum(s.Nodes, a.Nodes)
	}
	sum := total(args)
	grow, ok := growing[function]
	switch {
	case strings.HasPrefix(function, "regexp") && len(args) > 0 && args[0].Text > PatternText:
		s.Text = Unbounded
	case constant.Has(function):
	case ok && len(args) > 0:
		s.Text = max(grow(args, sum), ValueText)
	default:
		s.Text = max(sum, ValueText)
	}
	return s
}

// constant are functions and operators whose results have a length of their
// own: numbers, truth values, hashes.
var constant = wordset.New(`= <> != < > <= >= + - * / // % ~~ !~~ ~~* !~~* ~ ~* !~ !~* ^@ abs round floor ceil ceiling sqrt exp ln log log10 sin cos tan
	count count_star sum avg length len strlen char_length character_length octet_length bit_length byte_length
	strpos instr position ascii unicode ord contains starts_with ends_with prefix suffix
	regexp_matches regexp_full_match regexp_contains regexp_like regexp_instr regexp_count md5 sha1 sha256 sha224 sha384 sha512 hash
	year month day hour minute second date_part extract date_diff datediff epoch row_number rank dense_rank ntile
	farm_fingerprint array_length list_contains array_contains hamming jaccard jaro_similarity jaro_winkler_similarity`)

// growing lists the functions whose results can be longer than their arguments.
var growing = map[string]func(args []Arg, sum int64) int64{
	"replace": replace, "array_replace": replace,
	"regexp_replace": regexpReplace, "overlay": twice, "translate": times(4), "array_to_string": joined, "list_aggr": joined,
	"list_aggregate": joined,
	"string_agg":     joined, "listagg": joined, "group_concat": joined, "array_to_string_comma_default": joined, "concat_ws": joinedWith,
	"repeat": repeated, "lpad": padded, "rpad": padded, "bar": bar, "format": formatted, "printf": formatted,
	"list_resize": resized, "array_resize": resized, "bitstring": resized, "range": series, "generate_series": series,
	"generate_array": series, "sequence": series, "space": space, "array_fill": unbounded,
	"levenshtein": distance, "editdist3": distance, "damerau_levenshtein": distance, "edit_distance": distance,
	"hex": twice, "to_hex": twice, "base64": twice, "to_base64": twice, "encode": twice, "url_encode": times(3), "regexp_escape": twice,
	"bin": times(8), "to_binary": times(8), "to_base": series, "to_char": twice,
	"quote": twice, "json_quote": twice, "to_json": twice, "json": twice, "json_object": twice, "json_array": twice, "to_json_string": twice,
	"array_to_json": twice, "row_to_json": twice, "to_jsonb": twice, "json_build_object": twice, "json_build_array": twice,
	"jsonb_build_object": twice, "jsonb_build_array": twice, "json_group_array": twice, "json_group_object": twice,
	"json_agg": twice, "jsonb_agg": twice, "json_object_agg": twice, "jsonb_object_agg": twice, "jsonb_pretty": times(8),
	"string_split": times(ValueText), "str_split": times(ValueText), "split": times(ValueText), "string_to_array": times(ValueText),
	"regexp_split_to_array": times(ValueText), "string_split_regex": times(ValueText), "str_split_regex": times(ValueText),
	"regexp_extract_all": times(ValueText), "to_code_points": times(ValueText), "to_json_array": twice,
}

func unbounded([]Arg, int64) int64 { return Unbounded }

func twice(_ []Arg, sum int64) int64 { return Product(sum, 2) }

func times(n int64) func([]Arg, int64) int64 {
	return func(_ []Arg, sum int64) int64 { return Product(sum, n) }
}

// replace bounds the result of replacing one text by another, as often as it can
// occur.
func replace(args []Arg, sum int64) int64 {
	if len(args) != 3 {
		return sum
	}
	text, from, to := args[0].Text, args[1], args[2]
	searched := int64(1)
	if from.Literal {
		searched = int64(len(from.Written))
	}
	with := to.Text
	if to.Literal {
		with = int64(len(to.Written))
	}
	if searched == 0 || with <= searched && from.Literal && to.Literal {
		return text
	}
	return Sum(text, Product(Sum(text, searched-1)/searched, with))
}

// regexpReplace can insert text between all characters, and each reference to a
// match can insert the whole text.
func regexpReplace(args []Arg, sum int64) int64 {
	if len(args) < 3 {
		return sum
	}
	text, to := args[0].Text, args[2]
	if !to.Literal {
		return Product(Sum(text, 1), Sum(to.Text, text))
	}
	with, references := int64(len(to.Written)), int64(strings.Count(to.Written, `\`))
	if len(args) > 3 && args[3].Literal && !strings.Contains(args[3].Written, "g") {
		return Sum(text, Sum(with, Product(references, text))) // once
	}
	return Sum(text, Sum(Product(Sum(text, 1), with), Product(references, text)))
}

// joined bounds a text inserted between elements.
func joined(args []Arg, sum int64) int64 {
	between := int64(0)
	for _, a := range args[1:] {
		between = Sum(between, a.Text)
	}
	return Sum(args[0].Text, Product(args[0].Text/ValueText+1, between))
}

func joinedWith(args []Arg, sum int64) int64 {
	return Sum(sum, Product(args[0].Text, int64(len(args))+sum/ValueText))
}

func repeated(args []Arg, _ int64) int64 {
	n, ok := number(args, 1)
	if !ok {
		return Unbounded
	}
	return Product(args[0].Text, n)
}

func padded(args []Arg, _ int64) int64 {
	n, ok := number(args, 1)
	if !ok {
		return Unbounded
	}
	return Product(n, 4)
}

func bar(args []Arg, _ int64) int64 {
	n, ok := number(args, 3)
	if len(args) == 3 {
		n, ok = 80, true
	}
	if !ok {
		return Unbounded
	}
	return Product(n, 4)
}

// resized has a length that is given.
func resized(args []Arg, sum int64) int64 {
	n, ok := number(args, 1)
	if !ok {
		return Unbounded
	}
	return Sum(sum, Product(n, max(ValueText, args[len(args)-1].Text)))
}

func space(args []Arg, _ int64) int64 {
	n, ok := number(args, 0)
	if !ok {
		return Unbounded
	}
	return n
}

// series counts from one number to another.
func series(args []Arg, _ int64) int64 {
	most := int64(0)
	for i, a := range args {
		n, ok := number(args, i)
		if !ok || strings.ContainsAny(a.Written, ".eE") {
			return Unbounded
		}
		if a.Written[0] == '-' {
			n, _ = strconv.ParseInt(a.Written[1:], 10, 64)
		}
		most = Sum(most, n)
	}
	return Product(most, ValueText)
}

// formatted can have any width, given as a number in the format or as an
// argument.
func formatted(args []Arg, sum int64) int64 {
	if !args[0].Literal {
		return Unbounded
	}
	width, most := int64(0), int64(0)
	braces := 0
	for i, c := range args[0].Written {
		switch {
		case '0' <= c && c <= '9':
			width = Sum(Product(width, 10), int64(c-'0'))
			most = Sum(most, width)
			continue
		case c == '*':
			return Unbounded
		case c == '{':
			if braces++; braces > 1 && !strings.HasPrefix(args[0].Written[i-1:], "{{") {
				return Unbounded // a width that is an argument
			}
		case c == '}':
			braces = max(0, braces-1)
		}
		width = 0
	}
	times := int64(strings.Count(args[0].Written, "{") + strings.Count(args[0].Written, "%"))
	return Sum(Product(sum, max(1, times)), most)
}

// distance compares each character with each.
func distance(args []Arg, sum int64) int64 {
	for _, a := range args {
		if a.Literal && len(a.Written) <= 256 {
			return ValueText
		}
	}
	return Unbounded
}
