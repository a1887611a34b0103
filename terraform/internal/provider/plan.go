package provider

import (
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/junction-platform/terraform-provider-junction/internal/contract"
)

type values map[string]tftypes.Value

// valuesIn returns the members of a whole plan, state or configuration; nil for one that does not exist.
func valuesIn(raw tftypes.Value) (values, error) {
	if raw.IsNull() || !raw.IsKnown() {
		return nil, nil
	}
	var found values
	err := raw.As((*map[string]tftypes.Value)(&found))
	return found, err
}

// planned is the plan of one object.
type planned struct {
	values values
	// replace are the members because of which the object is made anew.
	replace []string
}

// plan decides each member from the configuration and the state, which is nil for an object to create. If nothing changes, the plan is
// the state, so that it is empty.
func plan(resource contract.Resource, config, state values) (planned, error) {
	result := planned{values: values{}}
	isChanged := state == nil
	for _, member := range resource.Members {
		value, err := wanted(member, config, state)
		if err != nil {
			return planned{}, err
		}
		result.values[member.Name] = value
		if hasWriteOnly(member) {
			result.values[member.Name+writeOnly] = tftypes.NewValue(rawType(member.Type), nil)
			result.values[member.Name+version] = config[member.Name+version]
		}
		if state == nil || (value.Equal(state[member.Name]) && !isSentAgain(member, config, state)) {
			continue
		}
		isChanged = true
		if !member.Replace {
			continue
		}
		// The attribute that differs, or there would be no reason.
		if isSentAgain(member, config, state) {
			result.replace = append(result.replace, member.Name+version)
		} else {
			result.replace = append(result.replace, member.Name)
		}
	}
	if !isChanged {
		return result, nil
	}
	for _, member := range resource.Members {
		if isWriteOnly(member, config) {
			continue
		}
		// The service may choose another value because of the change.
		if mayChange(member, config) || (state == nil && isComputed(member) && result.values[member.Name].IsNull()) {
			result.values[member.Name] = tftypes.NewValue(rawType(member.Type), tftypes.UnknownValue)
		}
	}
	return result, nil
}

// isWriteOnly is true for a secret whose value the configuration does not want to be stored.
func isWriteOnly(member contract.Member, config values) bool {
	return hasWriteOnly(member) && !config[member.Name+writeOnly].IsNull()
}

func isSentAgain(member contract.Member, config, state values) bool {
	return hasWriteOnly(member) && !config[member.Name+version].Equal(state[member.Name+version])
}

func mayChange(member contract.Member, config values) bool {
	if !member.Input {
		return !member.Stable
	}
	return member.Chosen && !member.Stable && config[member.Name].IsNull()
}

func wanted(member contract.Member, config, state values) (tftypes.Value, error) {
	none := tftypes.NewValue(rawType(member.Type), nil)
	before, isHeld := state[member.Name]
	if !member.Input {
		if isHeld {
			return before, nil
		}
		return none, nil
	}
	given := config[member.Name]
	if !given.IsNull() {
		if isHeld && isSame(member.Type, given, before) {
			return before, nil
		}
		return given, nil
	}
	if isWriteOnly(member, config) {
		return none, nil
	}
	if isHeld && member.Chosen {
		return before, nil
	}
	if member.Default == nil {
		return none, nil
	}
	return fromJSON(member.Type, member.Default)
}

// isSame is true for values that mean the same. Texts of JSON can differ in spacing and in the order of members.
func isSame(of contract.Type, a, b tftypes.Value) bool {
	if of.Kind != contract.JSON || !a.IsKnown() || !b.IsKnown() || a.IsNull() || b.IsNull() {
		return a.Equal(b)
	}
	var one, other string
	return a.As(&one) == nil && b.As(&other) == nil && same(one, other)
}
