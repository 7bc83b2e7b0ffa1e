"""Tables on written pages of several authors."""
