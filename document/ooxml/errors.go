package ooxml

import (
	"fmt"

	"github.com/agnes-data/da/api"
)

// Kinds of api.CodeReadFailed that say why a package cannot be read.
const (
	KindDamaged   = "damaged"
	KindEncrypted = "encrypted"
	KindTooLarge  = "too_large"
	KindFormat    = "wrong_format"
)

// Damaged returns the error for a package that violates the standard.
func Damaged(part, format string, args ...any) *api.Error {
	return &api.Error{
		Code: api.CodeReadFailed, Kind: KindDamaged, Message: place(part) + fmt.Sprintf(format, args...),
		Hint: "Open the file in the program that made it and save it again.", Details: map[string]any{"part": part},
	}
}

// TooLarge returns the error for a part that exceeds a limit.
func TooLarge(part, format string, args ...any) *api.Error {
	return &api.Error{
		Code: api.CodeReadFailed, Kind: KindTooLarge, Message: place(part) + fmt.Sprintf(format, args...),
		Hint: "Split the file, or save it without what it does not need.", Details: map[string]any{"part": part},
	}
}

// WrongFormat returns the error for a file of another format.
func WrongFormat(format string, args ...any) *api.Error {
	return &api.Error{Code: api.CodeReadFailed, Kind: KindFormat, Message: fmt.Sprintf(format, args...)}
}

// Invalid is the error of a call that cannot be carried out as it was written.
func Invalid(hint, format string, args ...any) *api.Error {
	return &api.Error{Code: api.CodeValidation, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func place(part string) string {
	if part == "" {
		return ""
	}
	return part + ": "
}
