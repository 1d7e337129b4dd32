// Empty: an assembly file in the package lets setGCPercent have no body.
