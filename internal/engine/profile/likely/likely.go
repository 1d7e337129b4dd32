// Package likely tells what a column likely holds of people, by some of its values. It reads
// nothing itself, and does not say what is to be hidden.
package likely

import (
	_ "embed" // the names
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// People says what a column likely holds of people: N of the Of different values that
// were looked at.
type People struct {
	Kind string `json:"kind" jsonschema:"email, phone, card, account, national_number, person_name, or text with such in it"`
	With string `json:"with,omitempty" jsonschema:"the country of a number; what is in a text"`
	N    int    `json:"n"`
	Of   int    `json:"of" jsonschema:"different values that were looked at"`
}

// Kinds of what columns hold of people.
const (
	Email    = "email"
	Phone    = "phone"
	Card     = "card"
	Account  = "account"
	National = "national_number"
	Name     = "person_name"
	FreeText = "text"
)

// fewest is how many values there must be before a checksum or a form proves something.
const fewest = 5

// Of says what the values of a column likely are, by their forms, their checksums and
// the words of its name; nil: nothing of people.
func Of(column string, values []string) *People {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return strings.TrimSpace(v) == "" })
	called := " " + strings.Join(nameWords(column), " ") + " "
	best := People{Of: len(values)}
	most := func(kind, with string, share float64, least int, is func(string) bool) {
		n := 0
		for _, v := range values {
			if is(strings.TrimSpace(v)) {
				n++
			}
		}
		if n >= least && float64(n) >= share*float64(len(values)) && n > best.N {
			best.Kind, best.With, best.N = kind, with, n
		}
	}
	most(Email, "", 0.6, 1, email().MatchString)
	most(Card, "", 0.8, fewest, isCard)
	most(Account, "", 0.9, 1, isAccount)
	for _, c := range countries {
		form := c.form()
		most(National, c.country, 0.9, fewest, func(v string) bool {
			return form.MatchString(v) && (c.check == nil || c.check(digitsOf(v), v))
		})
	}
	most(Phone, "", 0.7, 1, func(v string) bool { return isPhone(v, phoneWords().MatchString(called)) })
	if best.N == 0 && (nameOfName().MatchString(called) || someAreCalled(values)) {
		most(Name, "", 0.8, fewest, nameForm().MatchString)
	}
	if best.N == 0 {
		for _, in := range withinTexts {
			most(FreeText, in.kind, 0, 1, func(v string) bool {
				return wordsForm().MatchString(v) && slices.ContainsFunc(in.form().FindAllString(v, -1), in.is)
			})
		}
	}
	if best.N == 0 {
		return nil
	}
	return &best
}

// someAreCalled reports whether enough texts begin with a given name, or have one and a
// comma or a title. Places and products are called like people, too: of single words, more
// have to.
func someAreCalled(values []string) bool {
	known, given, least := givenNames(), 0, 0.15
	if !slices.ContainsFunc(values, func(v string) bool { return strings.Contains(strings.TrimSpace(v), " ") }) {
		least = 0.3
	}
	for _, v := range values {
		letters := strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return unicode.ToLower(r)
		}, norm.NFD.String(v))
		words := strings.FieldsFunc(letters, func(r rune) bool { return !unicode.IsLetter(r) })
		if !strings.ContainsAny(v, ",.") {
			words = words[:min(len(words), 1)] // the last one is that of a place
		}
		if slices.ContainsFunc(words, func(w string) bool { return known[w] }) {
			given++
		}
	}
	return float64(given) >= least*float64(len(values))
}

var (
	email      = lazyregexp.New(`^[\p{L}\p{N}._%+'-]+@[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)*\.\p{L}{2,}$`)
	phoneForm  = lazyregexp.New(`^(\+|00)?\(?\d[\d ().\-/]*( ?x\d+)?$`)
	phonePlain = lazyregexp.New(`^(\+[1-9][\d ().\-/]*|\(\d{2,5}\)[\d .\-/]+|(1[-. ])?\d{3}[-. ]\d{3}[-. ]\d{4})( ?x\d+)?$`)
	noPhone    = lazyregexp.New(`^(\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{2,4}|\d+\.\d+|\d+\.\d+\.\d+\.\d+|97[89][\d -]*)$`)
	phoneWords = lazyregexp.New(` (phone|phones|telephone|tel|telefon|telefono|telefone|mobile|mobil|` +
		`cell|cellphone|fax|handy|gsm|msisdn|whatsapp) `)
	nameOfName = lazyregexp.New(` ((first|last|full|given|family|middle|maiden|legal|customer|contact|patient|employee|client|passenger|holder|` +
		`guest|member) name|surname|forename|firstname|lastname|fullname|vorname|nachname|prenom|prénom|apellidos?|cognome|jmeno|jméno|` +
		`prijmeni|příjmení|imie|nazwisko|fornavn|etternavn|efternavn|förnamn|efternamn) `)
	wordsForm = lazyregexp.New(`\p{L}{2}.* `)
	nameForm  = lazyregexp.New(`^[\p{Lu}\p{Lo}][\p{L}\p{M}'’.-]*([, ]+["(]?[\p{L}\p{M}'’.-]+[")]?){0,6}$`)
)

// nameWords are the words of a column's name in lower case: CustomerName is customer name.
func nameWords(column string) []string {
	var b strings.Builder
	var last rune
	for _, r := range column {
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		last = r
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) })
}

// withinTexts are what is looked for in texts.
var withinTexts = []struct {
	kind string
	form func() *regexp.Regexp
	is   func(string) bool
}{
	{Email, lazyregexp.New(`\b[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}\b`), always},
	{Card, lazyregexp.New(`\b\d(?:[ -]?\d){12,18}\b`), isCard},
	{Account, lazyregexp.New(`\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b`), isAccount},
	{Phone, lazyregexp.New(`\+[1-9]\d{0,2}[ (.-]\d[\d ().-]{6,}\d|\+[1-9]\d{8,14}\b|\b\d{3}[-.]\d{3}[-.]\d{4}\b`), always},
	{National, lazyregexp.New(`\b\d{3}-\d{2}-\d{4}\b`), always},
}

func always(string) bool { return true }

// isPhone reports whether a text is a number to call: by its form, or if the column is
// called so.
func isPhone(v string, called bool) bool {
	n := len(digitsOf(v))
	return n >= 7 && n <= 17 && !noPhone().MatchString(v) && (phonePlain().MatchString(v) || called && phoneForm().MatchString(v))
}

var (
	cardForm = lazyregexp.New(`^\d(?:[ -]?\d){11,18}$`)
	// issuers are Visa, Mastercard, American Express, Diners, JCB, Discover, Maestro and UnionPay.
	issuers = lazyregexp.New(`^(4(\d{12}|\d{15}|\d{18})|(5[1-5]|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d+|3[47]\d{13}|` +
		`3(0[0-5]|[689])\d{11,12}|35\d{14,17}|(50|5[6-9]|6\d)\d{10,17})$`)
)

func isCard(v string) bool {
	if !cardForm().MatchString(v) {
		return false
	}
	d, text := digitsOf(v), strings.NewReplacer(" ", "", "-", "").Replace(v)
	mastercard := text[0] == '2' || text[0] == '5' && text[1] >= '1' && text[1] <= '5'
	return issuers().MatchString(text) && (!mastercard || len(d) == 16) && luhn(d)
}

// isAccount reports whether a text is an IBAN.
func isAccount(v string) bool {
	v = strings.ReplaceAll(v, " ", "")
	if len(v) < 15 || len(v) > 34 || v[0] < 'A' || v[0] > 'Z' || v[1] < 'A' || v[1] > 'Z' {
		return false
	}
	rest := 0
	for _, r := range v[4:] + v[:4] {
		switch {
		case r >= '0' && r <= '9':
			rest = (rest*10 + int(r-'0')) % 97
		case r >= 'A' && r <= 'Z':
			rest = (rest*100 + int(r-'A') + 10) % 97
		default:
			return false
		}
	}
	return rest == 1
}

// givenText are common given names of many countries, without accents.
//
//go:embed givennames.txt
var givenText string

var givenNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(givenText) {
		names[name] = true
	}
	return names
})
