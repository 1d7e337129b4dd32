package usage

import "github.com/spf13/pflag"

// ExitCode adds the flag of comparisons that tells by the exit code whether anything
// differs.
func ExitCode(f *pflag.FlagSet, given *bool) {
	f.BoolVar(given, "exit-code", false, "exit with 1 if anything differs, as diff and git do")
}
