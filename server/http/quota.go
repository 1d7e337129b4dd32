package httpapi

func (c *call) quota() error {
	if err := c.params(); err != nil {
		return err
	}
	return answer(c, c.data.Quota)
}
