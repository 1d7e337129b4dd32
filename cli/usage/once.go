package usage

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agnes-data/da/api"
)

// Once rejects a flag that is given twice with two values, and would keep only the last.
// Flags that stand among defaults, such as the words of an alias, may be given again.
func Once(root *cobra.Command, args, defaults []string) (err error) {
	again := map[*pflag.Flag]int{}
	eachFlag(root, defaults, func(f *pflag.Flag, _ string) { again[f]++ })
	had := map[*pflag.Flag]string{}
	eachFlag(root, args, func(f *pflag.Flag, value string) {
		before, twice := had[f]
		had[f] = value
		if _, list := f.Value.(pflag.SliceValue); !twice || before == value || list {
			return
		}
		if again[f]--; again[f] < 0 && err == nil {
			e := Error(fmt.Sprintf("--%s is given twice: '%s' and '%s'", f.Name, api.Clip(before, 60), api.Clip(value, 60)))
			e.Hint = fmt.Sprintf("It takes one value: give --%s once.", f.Name)
			err = e
		}
	})
	return err
}

// eachFlag goes through the flags of a command line, without setting them, up to the first
// that is wrong: the call itself says what is wrong with it.
func eachFlag(root *cobra.Command, args []string, do func(f *pflag.Flag, value string)) {
	cmd, rest, err := root.Find(args)
	if err != nil {
		return
	}
	cmd.InitDefaultHelpFlag()
	cmd.InheritedFlags() // adds those of all commands to its own
	_ = cmd.Flags().ParseAll(rest, func(f *pflag.Flag, value string) error {
		do(f, value)
		return nil
	})
}
