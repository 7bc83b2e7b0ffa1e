"""Documents taken in: inspected, admitted, stored."""
