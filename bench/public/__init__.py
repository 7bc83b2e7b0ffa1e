"""Downloaded folders of public benchmarks, scored by each one's own rules."""
