package config

import (
	"strings"

	"github.com/agnes-data/da/api"
)

// StateDSN returns the address of the PostgreSQL database that holds a server's
// state; "" if its folder does.
func (p Places) StateDSN(s Server) (string, error) {
	if s.StateEnv == "" {
		return s.State, nil
	}
	dsn := strings.TrimSpace(p.Getenv(s.StateEnv))
	if dsn == "" {
		return "", &api.Error{Code: api.CodeConfig, Message: "the variable " + s.StateEnv +
			" is not set; it holds the address of the server's state", Hint: "Set it, or name another one in server.state_env."}
	}
	return dsn, nil
}
