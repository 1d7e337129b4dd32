//go:build !snowflake

package snowflake

import "github.com/agnes-data/da/api"

// connect refuses: this binary has no driver.
func connect(login) (driver, error) {
	return nil, &api.Error{Code: api.CodeConfig, Kind: api.KindUnsupported, Message: "this da has no driver of Snowflake in it, which is large",
		Hint: "Run the binary da-snowflake, which reads everything else, too; in a checkout 'make snowflake' builds it."}
}
