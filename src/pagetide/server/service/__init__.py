"""Jobs from the outside: submitted, admitted, asked for, cancelled, erased; and the demand."""
