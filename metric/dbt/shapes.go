package dbt

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// known refuses fields that dbt does not document, and Jinja outside of filters.
func known(o object, fields string) error {
	for _, key := range slices.Sorted(maps.Keys(o)) {
		v := o[key]
		if !slices.Contains(strings.Fields(fields), key) {
			return errors.New(key)
		}
		if !slices.Contains(strings.Fields("description label config model filter meta"), key) && jinja(v) {
			return fmt.Errorf("the template in %s", key)
		}
	}
	return nil
}

// knownIn does so for the objects in a member of an object.
func knownIn(o object, key, fields string) error {
	list := items(o[key])
	if one := objectOf(o[key]); one != nil {
		list = []object{one}
	}
	for _, item := range list {
		if err := known(item, fields); err != nil {
			if item["name"] != nil {
				return fmt.Errorf("%w of %v in %s", err, item["name"], key)
			}
			return fmt.Errorf("%w in %s", err, key)
		}
	}
	return nil
}

// inputsKnown does so for the metrics and measures that a metric is made of.
func inputsKnown(o object) error {
	cumulative := objectOf(o["cumulative_type_params"])
	err := cmp.Or(knownIn(o, "measure", "name alias filter join_to_timespine fill_nulls_with"),
		knownIn(o, "cumulative_type_params", "window grain_to_date period_agg metric"), knownIn(cumulative, "metric", inputFields),
		knownIn(o, "non_additive_dimension", "name window_agg group_by"))
	for _, key := range []string{"numerator", "denominator", "metrics", "input_metric", "input_metrics"} {
		err = cmp.Or(err, knownIn(o, key, inputFields))
	}
	return err
}

const inputFields = "name alias filter offset_window offset_to_grain"

// columnsKnown does so for the columns of a model with a semantic model within it.
func columnsKnown(model object) error {
	const more = "name description label config type role is_partition validity_params"
	err := knownIn(model, "columns", `name description label config meta tags docs quote data_type constraints tests data_tests policy_tags
		granularity entity dimension`)
	for _, c := range items(model["columns"]) {
		if why := cmp.Or(knownIn(c, "entity", more), knownIn(c, "dimension", more)); err == nil && why != nil {
			err = fmt.Errorf("%w of column %v", why, c["name"])
		}
	}
	derived := objectOf(model["derived_semantics"])
	return cmp.Or(err, knownIn(model, "derived_semantics", "dimensions entities"), knownIn(derived, "dimensions", more+" expr granularity"),
		knownIn(derived, "entities", more+" expr"))
}

// jinja reports whether a value has a template, but for those of filters.
func jinja(v any) (yes bool) {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, "{{") || strings.Contains(v, "{%")
	case []any:
		return slices.ContainsFunc(v, jinja)
	case object:
		for key, item := range v {
			yes = yes || key != "filter" && key != "description" && key != "label" && jinja(item)
		}
	}
	return yes
}

// off reports whether a thing is switched off.
func off(o object) bool { return objectOf(o["config"])["enabled"] == false }

// rewritten gives short forms the shape that they have in a manifest.
func rewritten(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = rewritten(item)
		}
		return out
	case object:
		out := object{}
		for key, item := range v {
			text, isText := item.(string)
			switch {
			case key == "filter":
				out[key] = where(item)
			case key == "expr" && item != nil:
				out[key] = fmt.Sprint(item)
			case isText && (key == "window" || key == "offset_window"):
				out[key] = windowOf(text)
			case isText && slices.Contains([]string{"measure", "numerator", "denominator", "metric"}, key):
				out[key] = object{"name": text}
			case key == "metrics":
				list, _ := item.([]any)
				all := make([]any, len(list))
				for i, m := range list {
					if all[i] = rewritten(m); str(m) != "" {
						all[i] = object{"name": m}
					}
				}
				out[key] = all
			default:
				out[key] = rewritten(item)
			}
		}
		return out
	}
	return v
}

// where are the conditions of a filter: one or several.
func where(v any) object {
	list, isList := v.([]any)
	if !isList && v != nil {
		list = []any{v}
	}
	out := []object{}
	for _, item := range list {
		out = append(out, object{"where_sql_template": item})
	}
	return object{"where_filters": out}
}

// windowOf reads "30 days"; what it cannot read stays a text, which a metric refuses.
func windowOf(text string) any {
	words := strings.Fields(text)
	if len(words) == 2 {
		if n, err := strconv.ParseInt(words[0], 10, 64); err == nil {
			return object{"count": n, "granularity": words[1]}
		}
	}
	return text
}

func objectOf(v any) object {
	o, _ := v.(object)
	return o
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

func texts(v any) (out []string) {
	list, _ := v.([]any)
	for _, item := range list {
		out = append(out, str(item))
	}
	return out
}

func items(v any) (out []object) {
	list, _ := v.([]any)
	for _, item := range list {
		if o := objectOf(item); o != nil {
			out = append(out, o)
		}
	}
	return out
}
