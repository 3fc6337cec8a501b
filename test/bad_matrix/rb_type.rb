title                                                                   key
 3 1 1 1
xyz 3 2 3 0
