-- Messages that are about no item wait for their receiver: each claim looks for them, so they are found at once.
CREATE INDEX messages_loose ON messages (number, "to") WHERE item IS NULL AND status IN ('pending', 'accepted');
