package infer

import (
	"bytes"
	"slices"
)

// currencies are the marks that can precede or follow an amount; the first entry
// means no currency.
func currencies() []string {
	return []string{"", "$", "€", "£", "¥", "₹", "₽", "₩", "₺", "₴", "Kč", "kr", "zł", "Ft", "lei", "R$", "US$", "C$", "A$",
		"USD", "EUR", "GBP", "CZK", "CHF", "PLN", "HUF", "JPY", "CNY", "SEK", "NOK", "DKK", "CAD", "AUD", "INR", "BRL", "RON", "TRY"}
}

// mark is a currency's text and its index in currencies.
type mark struct {
	id   uint8
	text []byte
}

// currencyTable lists the marks by their first byte and by their last.
type currencyTable struct {
	first, last [256][]mark
}

func newCurrencyTable() *currencyTable {
	t := &currencyTable{}
	for i, c := range currencies()[1:] {
		m := mark{uint8(i + 1), []byte(c)}
		t.first[c[0]] = append(t.first[c[0]], m)
		t.last[c[len(c)-1]] = append(t.last[c[len(c)-1]], m)
	}
	return t
}

// marks is never changed once it is made.
var marks = newCurrencyTable()

// cutCurrency takes a currency mark off an amount.
func cutCurrency(b []byte) (rest []byte, currency uint8) {
	if len(b) < 2 {
		return b, 0
	}
	best := 0
	if c := b[0]; c < '0' || c > '9' {
		for _, m := range marks.first[c] {
			if bytes.HasPrefix(b, m.text) && len(m.text) > best {
				best, currency = len(m.text), m.id
			}
		}
		if best > 0 {
			return bytes.TrimLeft(b[best:], " \u00a0\u202f"), currency
		}
	}
	if c := b[len(b)-1]; c < '0' || c > '9' {
		for _, m := range marks.last[c] {
			if bytes.HasSuffix(b, m.text) && len(m.text) > best {
				best, currency = len(m.text), m.id
			}
		}
		if best > 0 {
			return bytes.TrimRight(b[:len(b)-best], " \u00a0\u202f"), currency
		}
	}
	return b, 0
}

// IsUnit reports whether a text is the sign of a unit alone: a currency, a share, or
// a common measure.
func IsUnit(text []byte) bool {
	switch string(text) {
	case "%", "‰", "°", "°C", "°F", "K", "g", "kg", "t", "mg", "m", "mm", "cm", "km", "m²", "m³", "s", "ms", "min", "h", "l", "ml",
		"kWh", "MWh", "W", "kW", "Hz", "V", "A", "Pa", "hPa", "bar":
		return true
	}
	return len(text) > 0 && slices.Contains(currencies(), string(text))
}
