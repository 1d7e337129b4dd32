package httpapi

func (c *call) clock() error {
	if err := c.params(); err != nil {
		return err
	}
	return answer(c, c.data.Time)
}
