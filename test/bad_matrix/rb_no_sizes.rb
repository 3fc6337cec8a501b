title                                                                   key
 3 1 1 1
