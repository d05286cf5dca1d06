void helper() {}
