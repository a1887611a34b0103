package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/junction-platform/terraform-provider-junction/internal/api"
	"github.com/junction-platform/terraform-provider-junction/internal/contract"
)

// object is what the API shows of one object.
type object map[string]json.RawMessage

// digests are those of the members that the API showed last. A member whose digest has not changed was changed by no one since,
// however the API writes it: with defaults, in another order, or with secrets left out.
type digests map[string]string

func shownName(member contract.Member) string { return orName(member.Shown, member) }
func sentName(member contract.Member) string  { return orName(member.Sent, member) }

func orName(name string, member contract.Member) string {
	if name != "" {
		return name
	}
	return member.Name
}

// shown returns a member of a response, and false if the response does not have it.
func (o object) shown(member contract.Member) (json.RawMessage, bool) {
	text, ok := o[shownName(member)]
	if ok && member.Type.Kind == contract.Bool && text[0] != 't' && text[0] != 'f' {
		// A time of the response says since when the flag is set.
		return json.RawMessage(fmt.Sprint(!isNull(text))), true
	}
	return text, ok
}

func (o object) digests(resource contract.Resource) digests {
	found := digests{}
	for _, member := range resource.Members {
		if text, ok := o.shown(member); ok {
			found[member.Name] = digest(text)
		}
	}
	return found
}

// bodyOf returns the body of a request with the members that `isSent` chooses. Write-only values are those of the configuration.
func bodyOf(resource contract.Resource, values, config values, isSent func(contract.Member) bool) ([]byte, error) {
	body := map[string]json.RawMessage{}
	for _, member := range resource.Members {
		if !member.Input || member.InPath || !isSent(member) {
			continue
		}
		value := values[member.Name]
		if isWriteOnly(member, config) {
			value = config[member.Name+writeOnly]
		}
		if !value.IsKnown() {
			continue
		}
		text, err := toJSON(member.Type, value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", member.Name, err)
		}
		body[sentName(member)] = text
	}
	if len(body) == 0 && resource.Create.Method == http.MethodPut {
		return nil, nil
	}
	return encode(body)
}

// pathOf fills in the path of an operation.
func pathOf(operation contract.Operation, values values) (string, error) {
	path := operation.Path
	for {
		start, end := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
		if start < 0 {
			return path, nil
		}
		var text string
		if err := values[path[start+1:end]].As(&text); err != nil || text == "" || text == "." || text == ".." {
			return "", fmt.Errorf("the state has no %s by which the API knows the object", path[start+1:end])
		}
		path = path[:start] + url.PathEscape(text) + path[end+1:]
	}
}

// read returns the object, or nil if it does not exist or has ended. Only the API's own "not_found" says so: an object of another
// environment, or a wrong URL, is an error, because the object may well exist.
func read(ctx context.Context, client *api.Client, resource contract.Resource, values values) (object, error) {
	path, err := pathOf(resource.Read, values)
	if err != nil {
		return nil, err
	}
	if resource.Listed {
		return find(ctx, client, resource, path, values)
	}
	text, err := client.Get(ctx, path)
	if isNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parse(resource, text)
}

func parse(resource contract.Resource, text []byte) (object, error) {
	var found object
	if err := json.Unmarshal(text, &found); err != nil || found == nil {
		return nil, errors.New("the API's answer is not an object")
	}
	if resource.Gone != "" && !isNull(found[resource.Gone]) {
		return nil, nil
	}
	return found, nil
}

// find looks for the object in a list, page by page.
func find(ctx context.Context, client *api.Client, resource contract.Resource, path string, values values) (object, error) {
	var wanted string
	if err := values[resource.Identity].As(&wanted); err != nil {
		return nil, err
	}
	for cursor := ""; ; {
		query := url.Values{"limit": {"100"}}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		text, err := client.Get(ctx, path+"?"+query.Encode())
		if err != nil {
			return nil, err
		}
		var page struct {
			Data []object `json:"data"`
			Next string   `json:"next_cursor"`
		}
		if err := json.Unmarshal(text, &page); err != nil {
			return nil, errors.New("the API's answer is not a list")
		}
		for _, one := range page.Data {
			var name string
			if json.Unmarshal(one[resource.Identity], &name) == nil && name == wanted {
				return one, nil
			}
		}
		if page.Next == "" || page.Next == cursor {
			return nil, nil
		}
		cursor = page.Next
	}
}

func isNotFound(err error) bool {
	var problem *api.Problem
	return errors.As(err, &problem) && problem.Status == http.StatusNotFound && problem.Code == "not_found"
}

// settled returns the state after a write: what was planned, and what the API shows where the plan left it open. A member that the
// response does not show, such as a secret that is shown once, stays. One that cannot be read is null, and returned as an error.
func settled(resource contract.Resource, planned, state values, found object) (values, error) {
	result := values{}
	var fault error
	for name, value := range planned {
		if value.IsKnown() {
			result[name] = value
		}
	}
	for _, member := range resource.Members {
		if _, isSettled := result[member.Name]; isSettled {
			continue
		}
		value, err := shownOr(found, member, state)
		if err != nil {
			fault, value = err, tftypes.NewValue(rawType(member.Type), nil)
		}
		result[member.Name] = value
	}
	return result, fault
}

// refreshed returns the state after a read: members that were changed since the API showed them last are as they are now.
func refreshed(resource contract.Resource, state values, found object, last digests) (values, error) {
	result := values{}
	for name, value := range state {
		result[name] = value
	}
	for _, member := range resource.Members {
		text, ok := found.shown(member)
		if !ok || last[member.Name] == digest(text) {
			continue
		}
		value, err := shownOr(found, member, state)
		if err != nil {
			return nil, err
		}
		if !isSame(member.Type, value, state[member.Name]) {
			result[member.Name] = value
		}
	}
	return result, nil
}

func shownOr(found object, member contract.Member, state values) (tftypes.Value, error) {
	text, ok := found.shown(member)
	if !ok {
		if before, isHeld := state[member.Name]; isHeld {
			return before, nil
		}
		return tftypes.NewValue(rawType(member.Type), nil), nil
	}
	value, err := fromJSON(member.Type, text)
	if err != nil {
		return tftypes.Value{}, fmt.Errorf("%s: %w", member.Name, err)
	}
	return value, nil
}
