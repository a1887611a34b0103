package provider

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/junction-platform/terraform-provider-junction/internal/api"
	"github.com/junction-platform/terraform-provider-junction/internal/contract"
)

// refusal shows an error of the API. Each fault of the body is shown at its attribute.
func refusal(resource contract.Resource, verb string, err error) diag.Diagnostics {
	var diagnostics diag.Diagnostics
	summary := fmt.Sprintf("Junction did not %s the %s", verb, strings.ReplaceAll(resource.Name, "_", " "))
	var problem *api.Problem
	if !errors.As(err, &problem) {
		diagnostics.AddError(summary, sentence(err.Error()))
		return diagnostics
	}
	for _, fault := range problem.Faults {
		at, rest, ok := attributeOf(resource, fault.Parts())
		message := fmt.Sprintf("%s (%s, request %s)", fault.Message, fault.Code, problem.RequestID)
		if !ok {
			diagnostics.AddError(summary, strings.TrimSpace(fault.Pointer+" "+message))
			continue
		}
		if rest != "" {
			message = "At " + rest + ": " + message
		}
		diagnostics.AddAttributeError(at, summary, message)
	}
	if len(problem.Faults) == 0 {
		diagnostics.AddError(summary, problem.Error())
	}
	return diagnostics
}

func sentence(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// attributeOf returns the attribute of a place in the body, the rest of the place below it, and false for a place that is no
// attribute's.
func attributeOf(resource contract.Resource, parts []string) (path.Path, string, bool) {
	if len(parts) == 0 {
		return path.Empty(), "", false
	}
	for _, member := range resource.Members {
		if member.Input && sentName(member) == parts[0] {
			at, rest := below(path.Root(member.Name), member.Type, parts[1:])
			return at, rest, true
		}
	}
	return path.Empty(), "", false
}

func below(at path.Path, of contract.Type, parts []string) (path.Path, string) {
	if len(parts) == 0 {
		return at, ""
	}
	switch of.Kind {
	case contract.List:
		if index, err := strconv.Atoi(parts[0]); err == nil {
			return below(at.AtListIndex(index), *of.Of, parts[1:])
		}
	case contract.Map:
		return below(at.AtMapKey(parts[0]), *of.Of, parts[1:])
	case contract.Object:
		for _, member := range of.Members {
			if member.Name == parts[0] {
				return below(at.AtName(member.Name), member.Type, parts[1:])
			}
		}
	}
	return at, "/" + strings.Join(parts, "/")
}
