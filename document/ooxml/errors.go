package ooxml

import (
	"fmt"

	"github.com/agnes-data/da/api"
)

// Damaged returns the error for a package that violates the standard.
func Damaged(part, format string, args ...any) *api.Error {
	return &api.Error{
		Code: api.CodeReadFailed, Kind: api.KindDamaged, Message: inPart(part) + fmt.Sprintf(format, args...),
		Hint: "Open the file in the program that made it and save it again.", Details: map[string]any{"part": part},
	}
}

// TooLarge returns the error for a part that exceeds a limit.
func TooLarge(part, format string, args ...any) *api.Error {
	return &api.Error{
		Code: api.CodeReadFailed, Kind: api.KindTooLarge, Message: inPart(part) + fmt.Sprintf(format, args...),
		Hint: "Split the file, or save it without what it does not need.", Details: map[string]any{"part": part},
	}
}

// WrongFormat returns the error for a file of another format.
func WrongFormat(format string, args ...any) *api.Error {
	return &api.Error{Code: api.CodeReadFailed, Kind: api.KindWrongFormat, Message: fmt.Sprintf(format, args...)}
}

// Invalid is the error of a call that cannot be carried out as it was written.
func Invalid(hint, format string, args ...any) *api.Error {
	return &api.Error{Code: api.CodeValidation, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func inPart(part string) string {
	if part == "" {
		return ""
	}
	return part + ": "
}
