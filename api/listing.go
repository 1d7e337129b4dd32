package api

import (
	"encoding/json"
	"fmt"
	"time"
)

// Members reads a JSON object member by member: each decodes the value of the one
// that it is told.
func Members(dec *json.Decoder, each func(name string) error) error {
	if err := delimiter(dec, '{'); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		if err := each(fmt.Sprint(name)); err != nil {
			return err
		}
	}
	return delimiter(dec, '}')
}

// ReadTables reads a TableList without holding it: each gets one table after the
// other. listed is false if there is no list, as in an answer of another program.
func ReadTables(dec *json.Decoder, each func(*Table) error) (serverTime time.Time, listed bool, err error) {
	err = Members(dec, func(name string) error {
		switch {
		case name == "tables" && !listed:
			listed = true
			return readList(dec, each)
		case name == "server_time":
			return dec.Decode(&serverTime)
		}
		return dec.Decode(new(json.RawMessage))
	})
	return serverTime, listed, err
}

func readList(dec *json.Decoder, each func(*Table) error) error {
	if err := delimiter(dec, '['); err != nil {
		return err
	}
	for dec.More() {
		var t Table
		if err := dec.Decode(&t); err != nil {
			return err
		}
		if err := each(&t); err != nil {
			return err
		}
	}
	return delimiter(dec, ']')
}

func delimiter(dec *json.Decoder, want json.Delim) error {
	got, err := dec.Token()
	if err == nil && got != want {
		err = fmt.Errorf("not %v but %v", want, got)
	}
	return err
}
