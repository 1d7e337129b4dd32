package serve

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/python"
	"github.com/agnes-data/da/agent/secrets"
	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/gist"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/ask"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/guard/sandbox"
	"github.com/agnes-data/da/workspace/filehttp"
)

// serverModel opens the model that m describes. file is the file with its
// settings, dir the folder of conversations, files the users' files; closing ends
// it; at is where conversations are. If m names no model, the result refuses every request. The caller closes
// it.
func serverModel(closing context.Context, a *app.App, m config.Model, file, dir string, files *filehttp.Server, at *central,
	log *slog.Logger) (*agenthttp.Server, func(), error) {
	cfg := agenthttp.Config{Closing: closing, Now: a.Now, Log: log,
		Store: func(name string) conversation.Store { return at.store(dir, name, a.Now) }, Costs: at.costs}
	if m.Provider == "" {
		return agenthttp.New(cfg), func() {}, nil
	}
	if err := ask.CheckModel(m, file); err != nil {
		return nil, nil, err
	}
	p, key, err := ask.OpenProvider(a, m)
	if err != nil {
		return nil, nil, err
	}
	cfg.Provider, cfg.Kind, cfg.Model, cfg.Clean = p, provider.Kind(m.Provider), m.Name, secrets.New(key).Clean
	cfg.Limits, cfg.Prices = ask.LimitsOf(m)
	cfg.Hide, cfg.Reuse = m.Values == config.ValuesHidden, m.Reuse == config.ReuseApproved
	cfg.Day = agent.MoneyOf(m.DayBudget)
	cfg.Gist = func(data api.Data) func(context.Context, string) string { return gist.For(analyst.Remote{Data: data}) }
	end := func() {}
	if files.Open != nil {
		calls, err := newFileCalls(a)
		if err != nil {
			return nil, nil, err
		}
		end = calls.Close
		cfg.Files = agenthttp.Files{Use: files.Use, Pattern: m.Apply,
			Isolate: func(ctx context.Context, at agenthttp.FileRoot, request json.RawMessage, memory int64, say func(string)) (json.RawMessage,
				error) {
				return callFile(ctx, calls, fileCall{At: at, Request: request}, memory, say)
			}}
	}
	if cfg.Python, err = modelPython(a, m, file, dir, log); err != nil {
		end()
		return nil, nil, err
	}
	return agenthttp.New(cfg), func() {
		if cfg.Python != nil {
			cfg.Python.Close()
		}
		end()
	}, nil
}

// maxPythons limits a server's Python processes, each of up to 2 GB.
const maxPythons = 8

// modelPython lets the model run Python if m allows it; nil if it does not. It
// returns an error on a machine that cannot isolate Python.
func modelPython(a *app.App, m config.Model, file, dir string, log *slog.Logger) (*python.Pool, error) {
	if m.Python != "on" {
		return nil, nil
	}
	with, err := python.Find(a.Ctx, m.PythonPath)
	if err != nil {
		return nil, &api.Error{Code: api.CodeConfig, Kind: api.KindPython,
			Message: file + " lets the model run Python, which is not possible here: " + err.Error(), Err: err,
			Hint: "Leave out agent.python: SQL remains."}
	}
	with.Disk = ask.PythonDisk(m)
	log.Info("the model may run Python", "version", with.Version, "modules", strings.Join(with.Modules, ","), "not_isolated_by",
		strings.Join(sandbox.Available().Missing(), ","))
	return with.Pool(maxPythons, func() (string, func(), error) {
		folder, err := store.OpenFolder(filepath.Join(dir, "python"))
		if err != nil {
			return "", nil, err
		}
		return folder.Path, folder.Close, nil
	}), nil
}

// ownModel opens the model from the user's own config. The caller closes it.
func ownModel(closing context.Context, a *app.App, files *filehttp.Server, log *slog.Logger) (*agenthttp.Server, func(), error) {
	cfg, err := a.ClientConfig()
	if err != nil {
		return nil, nil, err
	}
	home, err := a.Places().Data()
	if err != nil {
		return nil, nil, err
	}
	file, err := a.Places().ClientConfig()
	if err != nil {
		return nil, nil, err
	}
	return serverModel(closing, a, cfg.Agent, file, home, files, &central{}, log)
}
